package io.penstock.shards.core;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * Where a socket listens, connects to or came from. Immutable.
 *
 * <p>Names that the kernel would refuse or cut are refused here, before any file is touched.
 */
public sealed interface Endpoint {

  /** Bytes of a Unix socket's name that fit, its end mark included (sockaddr_un, unix(7)). */
  int UNIX_NAME_LIMIT_BYTES = 108;

  /** A TCP address, resolved or not; port 0 lets the kernel choose. */
  record Tcp(InetSocketAddress address) implements Endpoint {
    public Tcp {
      Objects.requireNonNull(address, "address");
    }

    @Override
    public String toString() {
      InetAddress resolved = address.getAddress();
      String host = resolved == null ? address.getHostString() : resolved.getHostAddress();
      return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + address.getPort();
    }
  }

  /** A Unix stream socket in the file system. */
  record UnixPath(String path) implements Endpoint {
    public UnixPath {
      Objects.requireNonNull(path, "path");
      if (path.isEmpty()) {
        throw new IllegalArgumentException("the path of a Unix socket is empty");
      }
      requireName(path, "path");
    }

    @Override
    public String toString() {
      return path;
    }
  }

  /** A Unix stream socket in Linux's abstract namespace, written {@code @name} without its mark. */
  record UnixAbstract(String name) implements Endpoint {
    public UnixAbstract {
      Objects.requireNonNull(name, "name");
      if (name.isEmpty()) {
        throw new IllegalArgumentException("the name of an abstract Unix socket is empty");
      }
      requireName(name, "abstract name");
    }

    @Override
    public String toString() {
      return "@" + name;
    }
  }

  /** The end of a Unix connection that was never bound, as most clients are. */
  record UnixUnnamed() implements Endpoint {
    @Override
    public String toString() {
      return "unnamed";
    }
  }

  /** True for the Unix kinds. */
  default boolean isUnix() {
    return !(this instanceof Tcp);
  }

  /** A TCP endpoint; the host is resolved by whoever connects or binds, not here. */
  static Tcp tcp(String host, int port) {
    Objects.requireNonNull(host, "host");
    return new Tcp(InetSocketAddress.createUnresolved(host, port));
  }

  /** The IPv4 loopback address with that port; 0 lets the kernel choose. */
  static Tcp loopback(int port) {
    return new Tcp(new InetSocketAddress(Loopback.V4, port));
  }

  /**
   * Reads {@code PORT} (on 127.0.0.1), {@code HOST:PORT}, {@code [V6]:PORT}, {@code /PATH} or
   * {@code @NAME}.
   *
   * @throws IllegalArgumentException naming the text when it is none of these
   */
  static Endpoint parse(String text) {
    Objects.requireNonNull(text, "text");
    if (text.startsWith("@")) {
      return new UnixAbstract(text.substring(1));
    }
    if (text.startsWith("/") || text.startsWith("./")) {
      return new UnixPath(text);
    }
    int colon = text.lastIndexOf(':');
    int port = port(text, text.substring(colon + 1));
    if (colon < 0) {
      return loopback(port);
    }
    String host = text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.isEmpty() || host.indexOf(':') >= 0) {
      throw new IllegalArgumentException("not HOST:PORT or [IPV6]:PORT: '" + text + "'");
    }
    return tcp(host, port);
  }

  private static int port(String text, String digits) {
    try {
      int port = Integer.parseInt(digits);
      if (port >= 0 && port <= 65_535) {
        return port;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("not PORT, HOST:PORT, /PATH or @NAME: '" + text + "'", e);
    }
    throw new IllegalArgumentException("port out of 0..65535: '" + text + "'");
  }

  private static void requireName(String name, String what) {
    if (name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("the " + what + " of a Unix socket holds a NUL character");
    }
    int lengthBytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (lengthBytes >= UNIX_NAME_LIMIT_BYTES) {
      throw new IllegalArgumentException(
          "the "
              + what
              + " of a Unix socket has "
              + lengthBytes
              + " bytes, at most "
              + (UNIX_NAME_LIMIT_BYTES - 1)
              + " fit: "
              + name);
    }
  }
}
