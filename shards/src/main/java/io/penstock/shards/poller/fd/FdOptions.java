package io.penstock.shards.poller.fd;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.SocketOption;
import io.penstock.shards.core.SocketOptions;
import io.penstock.shards.core.UnsupportedSocketOptionException;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * Sets socket options by their kernel numbers (netinet/tcp.h, netinet/in.h, asm-generic/socket.h).
 */
final class FdOptions {
  private static final int IPPROTO_IP = 0;
  private static final int IPPROTO_TCP = 6;
  private static final int IPPROTO_IPV6 = 41;

  private static final int TCP_KEEPIDLE = 4;
  private static final int TCP_KEEPINTVL = 5;
  private static final int TCP_KEEPCNT = 6;
  private static final int TCP_QUICKACK = 12;
  private static final int TCP_USER_TIMEOUT = 18;
  private static final int TCP_FASTOPEN = 23;
  private static final int IP_TOS = 1;
  private static final int IP_BIND_ADDRESS_NO_PORT = 24;
  private static final int IPV6_V6ONLY = 26;
  private static final int IPV6_TCLASS = 67;

  private FdOptions() {}

  /** Options that only a socket that listens, or is not bound yet, can have. */
  private static final Set<SocketOption> NOT_ACCEPTED =
      EnumSet.of(SocketOption.TCP_FASTOPEN, SocketOption.IPV6_V6ONLY);

  /** Those that a Unix stream socket has. */
  private static final Set<SocketOption> UNIX =
      EnumSet.of(SocketOption.SO_SNDBUF, SocketOption.SO_RCVBUF, SocketOption.SO_LINGER);

  /**
   * Refuses, by name and before anything is accepted, what cannot be set on accepted sockets; there
   * it would cost each connection.
   */
  static void requireAcceptedFit(Endpoint local, SocketOptions options) throws IOException {
    for (SocketOption option : options.values().keySet()) {
      boolean fits = local.isUnix() ? UNIX.contains(option) : !NOT_ACCEPTED.contains(option);
      if (!fits) {
        throw new UnsupportedSocketOptionException(
            option, local.isUnix() ? "a Unix socket" : "an accepted socket");
      }
    }
  }

  /** Refuses what the kernel would take from a socket that connects, but not mean. */
  static void requireConnectingFit(Endpoint remote, SocketOptions options) throws IOException {
    if (!remote.isUnix() && options.value(SocketOption.TCP_FASTOPEN, -1) >= 0) {
      throw new UnsupportedSocketOptionException(SocketOption.TCP_FASTOPEN, "a connecting socket");
    }
  }

  /** Sets all of them, on top of Penstock's defaults for the kind of socket. */
  static void apply(FdSocket socket, boolean ipv6, SocketOptions options) throws IOException {
    if (!socket.isUnix() && options.value(SocketOption.TCP_NODELAY, -1) < 0) {
      socket.setTcpNoDelay(true);
    }
    for (Map.Entry<SocketOption, Integer> entry : options.values().entrySet()) {
      set(socket, ipv6, entry.getKey(), entry.getValue());
    }
  }

  private static void set(FdSocket socket, boolean ipv6, SocketOption option, int value)
      throws IOException {
    if (socket.isUnix() && !UNIX.contains(option)) {
      throw new UnsupportedSocketOptionException(option, "a Unix socket");
    }
    switch (option) {
      case SO_SNDBUF -> socket.setSendBufferSize(value);
      case SO_RCVBUF -> socket.setReceiveBufferSize(value);
      case SO_LINGER -> socket.linger(value);
      case SO_REUSEADDR -> socket.setReuseAddress(value != 0);
      default -> setTcp(socket, ipv6, option, value);
    }
  }

  private static void setTcp(FdSocket socket, boolean ipv6, SocketOption option, int value)
      throws IOException {
    switch (option) {
      case TCP_NODELAY -> socket.setTcpNoDelay(value != 0);
      case SO_KEEPALIVE -> socket.setKeepAlive(value != 0);
      case TCP_KEEPIDLE -> socket.setIntOpt(IPPROTO_TCP, TCP_KEEPIDLE, value);
      case TCP_KEEPINTVL -> socket.setIntOpt(IPPROTO_TCP, TCP_KEEPINTVL, value);
      case TCP_KEEPCNT -> socket.setIntOpt(IPPROTO_TCP, TCP_KEEPCNT, value);
      case TCP_USER_TIMEOUT -> socket.setIntOpt(IPPROTO_TCP, TCP_USER_TIMEOUT, value);
      case TCP_QUICKACK -> socket.setIntOpt(IPPROTO_TCP, TCP_QUICKACK, value);
      case TCP_FASTOPEN -> socket.setIntOpt(IPPROTO_TCP, TCP_FASTOPEN, value);
      case SO_REUSEPORT -> socket.setReusePort(value != 0);
      case IP_BIND_ADDRESS_NO_PORT -> socket.setIntOpt(IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, value);
      case TRAFFIC_CLASS ->
          socket.setIntOpt(ipv6 ? IPPROTO_IPV6 : IPPROTO_IP, ipv6 ? IPV6_TCLASS : IP_TOS, value);
      case IPV6_V6ONLY -> {
        if (!ipv6) {
          throw new UnsupportedSocketOptionException(option, "an IPv4 socket");
        }
        socket.setIntOpt(IPPROTO_IPV6, IPV6_V6ONLY, value);
      }
      default -> throw new UnsupportedSocketOptionException(option, "a TCP socket");
    }
  }

  /** An IPv6 listener takes no IPv4 unless asked to: the address bound is the one asked for. */
  static void setV6OnlyByDefault(FdSocket socket, SocketOptions options) throws IOException {
    if (options.value(SocketOption.IPV6_V6ONLY, -1) < 0) {
      socket.setIntOpt(IPPROTO_IPV6, IPV6_V6ONLY, 1);
    }
  }
}
