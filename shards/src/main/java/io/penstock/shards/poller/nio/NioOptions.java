package io.penstock.shards.poller.nio;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.SocketOption;
import io.penstock.shards.core.SocketOptions;
import io.penstock.shards.core.UnsupportedSocketOptionException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import jdk.net.ExtendedSocketOptions;

/** Sets socket options through the JDK, which has fewer than the kernel. */
final class NioOptions {
  private NioOptions() {}

  /** For a stream socket, on top of Penstock's defaults; the endpoint tells the kind. */
  static void applyToStream(NetworkChannel channel, Endpoint endpoint, SocketOptions options)
      throws IOException {
    if (!endpoint.isUnix() && options.value(SocketOption.TCP_NODELAY, -1) < 0) {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }
    apply(channel, endpoint, options);
  }

  /** For a listening socket, which takes only some. */
  static void applyToListener(NetworkChannel channel, Endpoint endpoint, SocketOptions options)
      throws IOException {
    if (!endpoint.isUnix() && options.value(SocketOption.SO_REUSEADDR, -1) < 0) {
      channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    }
    apply(channel, endpoint, options);
  }

  /** Refuses, by name and before anything is accepted, what cannot be set on accepted sockets. */
  static void requireAcceptedFit(Endpoint local, SocketOptions options) throws IOException {
    try (SocketChannel kind = SocketChannel.open(NioAddresses.family(local))) {
      for (SocketOption option : options.values().keySet()) {
        requireKnown(kind, local, option);
      }
    }
  }

  private static void apply(NetworkChannel channel, Endpoint endpoint, SocketOptions options)
      throws IOException {
    boolean ipv6 = NioAddresses.family(endpoint) == StandardProtocolFamily.INET6;
    for (Map.Entry<SocketOption, Integer> entry : options.values().entrySet()) {
      SocketOption option = entry.getKey();
      if (option == SocketOption.IPV6_V6ONLY && entry.getValue() == 0 && ipv6) {
        continue; // The JDK's IPv6 sockets take IPv4 as they are.
      }
      set(channel, requireKnown(channel, endpoint, option), entry.getValue());
    }
  }

  private static java.net.SocketOption<?> requireKnown(
      NetworkChannel channel, Endpoint endpoint, SocketOption option) throws IOException {
    java.net.SocketOption<?> known = known(option);
    if (known == null || !channel.supportedOptions().contains(known)) {
      throw new UnsupportedSocketOptionException(
          option, (endpoint.isUnix() ? "a Unix socket" : "a TCP socket") + " of the nio backend");
    }
    return known;
  }

  private static java.net.SocketOption<?> known(SocketOption option) {
    return switch (option) {
      case TCP_NODELAY -> StandardSocketOptions.TCP_NODELAY;
      case SO_KEEPALIVE -> StandardSocketOptions.SO_KEEPALIVE;
      case TCP_KEEPIDLE -> ExtendedSocketOptions.TCP_KEEPIDLE;
      case TCP_KEEPINTVL -> ExtendedSocketOptions.TCP_KEEPINTERVAL;
      case TCP_KEEPCNT -> ExtendedSocketOptions.TCP_KEEPCOUNT;
      case TCP_QUICKACK -> ExtendedSocketOptions.TCP_QUICKACK;
      case SO_LINGER -> StandardSocketOptions.SO_LINGER;
      case SO_SNDBUF -> StandardSocketOptions.SO_SNDBUF;
      case SO_RCVBUF -> StandardSocketOptions.SO_RCVBUF;
      case SO_REUSEADDR -> StandardSocketOptions.SO_REUSEADDR;
      case SO_REUSEPORT -> StandardSocketOptions.SO_REUSEPORT;
      case TRAFFIC_CLASS -> StandardSocketOptions.IP_TOS;
      case TCP_USER_TIMEOUT, IP_BIND_ADDRESS_NO_PORT, IPV6_V6ONLY, TCP_FASTOPEN -> null;
    };
  }

  @SuppressWarnings("unchecked")
  private static void set(NetworkChannel channel, java.net.SocketOption<?> option, int value)
      throws IOException {
    if (option.type() == Boolean.class) {
      channel.setOption((java.net.SocketOption<Boolean>) option, value != 0);
    } else {
      channel.setOption((java.net.SocketOption<Integer>) option, value);
    }
  }
}
