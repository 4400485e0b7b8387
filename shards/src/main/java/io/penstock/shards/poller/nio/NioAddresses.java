package io.penstock.shards.poller.nio;

import io.penstock.shards.core.Endpoint;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;

/** Endpoints as the JDK has them. It knows no abstract Unix sockets. */
final class NioAddresses {
  private NioAddresses() {}

  static ProtocolFamily family(Endpoint endpoint) {
    if (endpoint.isUnix()) {
      return StandardProtocolFamily.UNIX;
    }
    return endpoint instanceof Endpoint.Tcp tcp
            && tcp.address().getAddress() instanceof Inet6Address
        ? StandardProtocolFamily.INET6
        : StandardProtocolFamily.INET;
  }

  /** Refuses what the JDK would silently take for something else. */
  static SocketAddress address(Endpoint endpoint) throws IOException {
    if (endpoint instanceof Endpoint.Tcp tcp) {
      return tcp.address();
    }
    if (endpoint instanceof Endpoint.UnixPath path) {
      return UnixDomainSocketAddress.of(path.path());
    }
    throw new IOException(
        "the nio backend has no abstract Unix sockets; " + endpoint + " needs epoll or io_uring");
  }

  static Endpoint endpoint(SocketAddress address) {
    if (address instanceof InetSocketAddress tcp) {
      return new Endpoint.Tcp(tcp);
    }
    if (address instanceof UnixDomainSocketAddress unix && !unix.getPath().toString().isEmpty()) {
      return new Endpoint.UnixPath(unix.getPath().toString());
    }
    return new Endpoint.UnixUnnamed();
  }
}
