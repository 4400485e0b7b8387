package io.penstock.shards.core;

/** The options of a socket that can be set, by the names of socket(7), tcp(7), ip(7), ipv6(7). */
public enum SocketOption {
  /** 1: small writes leave at once (tcp(7) TCP_NODELAY). Penstock's default for TCP. */
  TCP_NODELAY,
  /** 1: probe an idle peer (socket(7) SO_KEEPALIVE). */
  SO_KEEPALIVE,
  /** Seconds of idleness before the first probe (tcp(7) TCP_KEEPIDLE). */
  TCP_KEEPIDLE,
  /** Seconds between probes (tcp(7) TCP_KEEPINTVL). */
  TCP_KEEPINTVL,
  /** Probes before the peer counts as gone (tcp(7) TCP_KEEPCNT). */
  TCP_KEEPCNT,
  /** Milliseconds that sent data may stay unacknowledged (tcp(7) TCP_USER_TIMEOUT). */
  TCP_USER_TIMEOUT,
  /** 1: acknowledge at once (tcp(7) TCP_QUICKACK); the kernel may turn it off again. */
  TCP_QUICKACK,
  /**
   * Seconds that close waits, 0 resets instead (socket(7) SO_LINGER). No shard waits: with more
   * than 0 a close leaves the rest to the kernel, as without the option.
   */
  SO_LINGER,
  /** Bytes; the kernel doubles it (socket(7) SO_SNDBUF). */
  SO_SNDBUF,
  /** Bytes; the kernel doubles it (socket(7) SO_RCVBUF). */
  SO_RCVBUF,
  /** 1: bind although old connections linger (socket(7) SO_REUSEADDR). */
  SO_REUSEADDR,
  /** 1: several sockets share one address (socket(7) SO_REUSEPORT). */
  SO_REUSEPORT,
  /** The type-of-service byte (ip(7) IP_TOS, ipv6(7) IPV6_TCLASS). */
  TRAFFIC_CLASS,
  /** 1: choose the local port at connect, not at bind (ip(7) IP_BIND_ADDRESS_NO_PORT). */
  IP_BIND_ADDRESS_NO_PORT,
  /** 1: an IPv6 socket takes no IPv4 (ipv6(7) IPV6_V6ONLY). Penstock's default for IPv6. */
  IPV6_V6ONLY,
  /** Listener: length of the queue of pending fast opens (tcp(7) TCP_FASTOPEN). */
  TCP_FASTOPEN
}
