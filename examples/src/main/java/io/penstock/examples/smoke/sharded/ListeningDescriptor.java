package io.penstock.examples.smoke.sharded;

import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import io.penstock.shards.core.Endpoint;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A listening socket made outside of any shard, to be handed over by its number as a service
 * manager would hand one over.
 *
 * @param file the file of a Unix socket, which stays with who made it, or null
 */
record ListeningDescriptor(int descriptor, Path file) {
  private static final int BACKLOG = 4096;

  /** ipv6(7). */
  private static final int IPPROTO_IPV6 = 41;

  private static final int IPV6_V6ONLY = 26;

  /** Binds and listens. The natives must be loaded. */
  static ListeningDescriptor open(Endpoint endpoint) throws IOException {
    Socket socket;
    Path file = null;
    if (endpoint instanceof Endpoint.Tcp tcp) {
      InetAddress address = InetAddress.getByName(tcp.address().getHostString());
      boolean ipv6 = address instanceof Inet6Address;
      socket = StreamSocket.open(ipv6);
      if (ipv6) {
        socket.setIntOpt(IPPROTO_IPV6, IPV6_V6ONLY, 1);
      }
      socket.setReuseAddress(true);
      bind(socket, new InetSocketAddress(address, tcp.address().getPort()));
    } else if (endpoint instanceof Endpoint.UnixAbstract named) {
      socket = Socket.newSocketDomain();
      bind(socket, new DomainSocketAddress("\0" + named.name()));
    } else if (endpoint instanceof Endpoint.UnixPath path) {
      socket = Socket.newSocketDomain();
      bind(socket, new DomainSocketAddress(path.path()));
      file = Path.of(path.path());
    } else {
      throw new IOException("nothing to bind: " + endpoint);
    }
    return new ListeningDescriptor(socket.intValue(), file);
  }

  private static void bind(Socket socket, SocketAddress address) throws IOException {
    boolean listening = false;
    try {
      socket.bind(address);
      socket.listen(BACKLOG);
      listening = true;
    } finally {
      if (!listening) {
        socket.close();
      }
    }
  }

  /** Removes the file of a Unix socket. */
  void deleteFile() throws IOException {
    if (file != null) {
      Files.deleteIfExists(file);
    }
  }

  /** Netty makes a socket for both families unless it is asked from within. */
  private static final class StreamSocket extends Socket {
    private StreamSocket(int descriptor) {
      super(descriptor);
    }

    static Socket open(boolean ipv6) {
      return new StreamSocket(newSocketStream0(ipv6));
    }
  }
}
