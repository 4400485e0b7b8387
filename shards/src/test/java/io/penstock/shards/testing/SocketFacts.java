package io.penstock.shards.testing;

import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import io.penstock.shards.core.Backend;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.SocketOption;
import io.penstock.shards.poller.probe.BackendStatus;
import io.penstock.shards.poller.probe.NativeProbe;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Assumptions;
import org.opentest4j.TestAbortedException;

/**
 * What the kernel has for the sockets of this process, asked by their descriptors, whichever
 * backend made them; without natives the test is skipped. Numbers from asm-generic/socket.h,
 * netinet/tcp.h, netinet/in.h and linux/in6.h.
 */
public final class SocketFacts {
  private static final int SOL_IP = 0;
  private static final int SOL_SOCKET = 1;
  private static final int SOL_TCP = 6;
  private static final int SOL_IPV6 = 41;

  private static final int SO_LINGER = 13;
  private static final int SO_ACCEPTCONN = 30;
  private static final int SO_DOMAIN = 39;
  private static final int AF_UNIX = 1;
  private static final int TCP_INFO = 11;

  /** Offset of tcpi_sacked, which is the backlog in force of a socket that listens. */
  private static final int TCP_INFO_BACKLOG_OFFSET = 28;

  private SocketFacts() {}

  /** The descriptor that listens at that address. */
  public static int listening(Endpoint local) throws IOException {
    return descriptor(
        "listening at " + local, fd -> isListening(fd) && address(local).equals(localOf(fd)));
  }

  /** The descriptor of the connection with those ends; an end that is null has no address. */
  public static int connected(Endpoint local, Endpoint remote) throws IOException {
    return descriptor(
        "from " + local + " to " + remote,
        fd ->
            !isListening(fd)
                && address(local).equals(localOf(fd))
                && address(remote).equals(remoteOf(fd)));
  }

  private static int descriptor(String what, IntPredicate matches) throws IOException {
    BackendStatus natives = NativeProbe.status(Backend.EPOLL);
    if (!natives.available()) {
      throw new TestAbortedException("sockets cannot be looked at: " + natives.reason());
    }
    // Only where native access is denied, and so only for nio, which other runs of CI look into.
    Assumptions.assumeTrue(
        NativeProbe.status(Backend.EPOLL).available(),
        "the kernel is asked through Netty's native library, which cannot be loaded here");
    try (DirectoryStream<Path> links = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path link : links) {
        if (Files.exists(link, LinkOption.NOFOLLOW_LINKS)
            && Files.readSymbolicLink(link).toString().startsWith("socket:")) {
          int fd = Integer.parseInt(link.getFileName().toString());
          if (matches.test(fd)) {
            return fd;
          }
        }
      }
    }
    throw new AssertionError("no socket " + what);
  }

  /** The option's value; linger as its seconds, or -1 for none. */
  public static int option(int descriptor, SocketOption option, boolean ipv6) throws IOException {
    return switch (option) {
      case TCP_NODELAY -> integer(descriptor, SOL_TCP, 1);
      case TCP_KEEPIDLE -> integer(descriptor, SOL_TCP, 4);
      case TCP_KEEPINTVL -> integer(descriptor, SOL_TCP, 5);
      case TCP_KEEPCNT -> integer(descriptor, SOL_TCP, 6);
      case TCP_QUICKACK -> integer(descriptor, SOL_TCP, 12);
      case TCP_USER_TIMEOUT -> integer(descriptor, SOL_TCP, 18);
      case TCP_FASTOPEN -> integer(descriptor, SOL_TCP, 23);
      case SO_KEEPALIVE -> integer(descriptor, SOL_SOCKET, 9);
      case SO_REUSEADDR -> integer(descriptor, SOL_SOCKET, 2);
      case SO_REUSEPORT -> integer(descriptor, SOL_SOCKET, 15);
      case SO_SNDBUF -> integer(descriptor, SOL_SOCKET, 7);
      case SO_RCVBUF -> integer(descriptor, SOL_SOCKET, 8);
      case SO_LINGER -> {
        ByteBuffer linger = raw(descriptor, SOL_SOCKET, SO_LINGER, 8);
        yield linger.getInt(0) == 0 ? -1 : linger.getInt(4);
      }
      case TRAFFIC_CLASS ->
          ipv6 ? integer(descriptor, SOL_IPV6, 67) : integer(descriptor, SOL_IP, 1);
      case IP_BIND_ADDRESS_NO_PORT -> integer(descriptor, SOL_IP, 24);
      case IPV6_V6ONLY -> integer(descriptor, SOL_IPV6, 26);
    };
  }

  /** The backlog in force of a TCP socket that listens. */
  public static int backlog(int descriptor) throws IOException {
    return raw(descriptor, SOL_TCP, TCP_INFO, TCP_INFO_BACKLOG_OFFSET + Integer.BYTES)
        .getInt(TCP_INFO_BACKLOG_OFFSET);
  }

  private static int integer(int descriptor, int level, int option) throws IOException {
    return new Socket(descriptor).getIntOpt(level, option);
  }

  private static ByteBuffer raw(int descriptor, int level, int option, int lengthBytes)
      throws IOException {
    ByteBuffer value = ByteBuffer.allocateDirect(lengthBytes).order(ByteOrder.nativeOrder());
    new Socket(descriptor).getRawOpt(level, option, value);
    return value;
  }

  private static boolean isListening(int descriptor) {
    try {
      return integer(descriptor, SOL_SOCKET, SO_ACCEPTCONN) == 1;
    } catch (IOException e) {
      return false; // Closed since it was listed.
    }
  }

  private static String localOf(int descriptor) {
    Socket socket = new Socket(descriptor);
    return text(isUnix(descriptor) ? socket.localDomainSocketAddress() : socket.localAddress());
  }

  private static String remoteOf(int descriptor) {
    Socket socket = new Socket(descriptor);
    return text(isUnix(descriptor) ? socket.remoteDomainSocketAddress() : socket.remoteAddress());
  }

  private static String text(SocketAddress address) {
    return address == null ? "" : address.toString();
  }

  private static boolean isUnix(int descriptor) {
    try {
      return integer(descriptor, SOL_SOCKET, SO_DOMAIN) == AF_UNIX;
    } catch (IOException e) {
      return false; // Closed since it was listed.
    }
  }

  /** As Netty shows it, which has no name for the host. */
  private static String address(Endpoint endpoint) {
    if (endpoint instanceof Endpoint.UnixPath path) {
      return new DomainSocketAddress(path.path()).toString();
    }
    if (endpoint instanceof Endpoint.Tcp tcp) {
      String host = tcp.address().getAddress().getHostAddress();
      return "/" + (host.contains(":") ? "[" + host + "]" : host) + ":" + tcp.address().getPort();
    }
    return "";
  }
}
