package io.penstock.examples.smoke.managed;

import io.penstock.shards.core.Endpoint;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;

/** Makes the control's channels. */
final class ManagedSockets {

  private ManagedSockets() {}

  /** Connected, or about to be for TCP. */
  static SocketChannel connect(Endpoint endpoint) throws IOException {
    SocketChannel channel =
        endpoint.isUnix() ? SocketChannel.open(StandardProtocolFamily.UNIX) : SocketChannel.open();
    boolean begun = false;
    try {
      if (endpoint.isUnix()) {
        // Not the other way round: a connect that does not block fails on a full backlog, and the
        // JDK does not tell (unix(7), EAGAIN).
        channel.connect(address(endpoint));
        channel.configureBlocking(false);
      } else {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.connect(address(endpoint));
      }
      begun = true;
      return channel;
    } finally {
      if (!begun) {
        channel.close();
      }
    }
  }

  /** Sets up one that was accepted. */
  static void prepare(SocketChannel channel, boolean unix) throws IOException {
    channel.configureBlocking(false);
    if (!unix) {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }
  }

  /** Closes it with a reset, where there is such a thing and where it is not closed already. */
  static void reset(SocketChannel channel, boolean unix) throws IOException {
    // A connect that failed has closed it.
    if (!unix && channel.isOpen()) {
      channel.setOption(StandardSocketOptions.SO_LINGER, 0);
    }
    channel.close();
  }

  static SocketAddress address(Endpoint endpoint) throws IOException {
    if (endpoint instanceof Endpoint.Tcp tcp) {
      InetSocketAddress address = tcp.address();
      return address.isUnresolved()
          ? new InetSocketAddress(address.getHostString(), address.getPort())
          : address;
    }
    if (endpoint instanceof Endpoint.UnixPath path) {
      return UnixDomainSocketAddress.of(path.path());
    }
    throw new IOException("the JDK has no abstract Unix sockets: " + endpoint);
  }
}
