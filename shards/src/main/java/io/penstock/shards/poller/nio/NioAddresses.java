package io.penstock.shards.poller.nio;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.PeerCredentials;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;

/** Endpoints as the JDK has them. It knows no abstract Unix sockets. */
final class NioAddresses {
  /** One less than the kernel takes. */
  private static final int PATH_LIMIT_BYTES = 106;

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
      int lengthBytes = path.path().getBytes(StandardCharsets.UTF_8).length;
      if (lengthBytes > PATH_LIMIT_BYTES) {
        throw new IOException(
            "a path of %d bytes is too long for the nio backend, at most %d fit: %s"
                .formatted(lengthBytes, PATH_LIMIT_BYTES, path));
      }
      return UnixDomainSocketAddress.of(path.path());
    }
    throw new IOException(
        "the nio backend has no abstract Unix sockets; " + endpoint + " needs epoll or io_uring");
  }

  static PeerCredentials peerOf(SocketChannel channel, Endpoint remote) throws IOException {
    if (!remote.isUnix()) {
      throw new IOException("a TCP socket has no peer credentials");
    }
    UnixDomainPrincipal peer = channel.getOption(ExtendedSocketOptions.SO_PEERCRED);
    return new PeerCredentials(-1, -1, -1, peer.user().getName());
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
