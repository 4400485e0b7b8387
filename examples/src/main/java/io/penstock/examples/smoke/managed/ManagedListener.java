package io.penstock.examples.smoke.managed;

import io.penstock.shards.core.Endpoint;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A listening channel of the control.
 *
 * @param file the file of a Unix socket that was bound here, or null
 */
record ManagedListener(ServerSocketChannel channel, Endpoint local, Path file) {
  private static final Logger LOG = LoggerFactory.getLogger(ManagedListener.class);

  private static final int BACKLOG = 4096;

  /** Binds and listens; leaves nothing behind when it fails. */
  static ManagedListener bind(Endpoint endpoint) throws IOException {
    SocketAddress address = ManagedSockets.address(endpoint);
    ServerSocketChannel channel =
        endpoint.isUnix()
            ? ServerSocketChannel.open(StandardProtocolFamily.UNIX)
            : ServerSocketChannel.open();
    boolean listening = false;
    try {
      channel.configureBlocking(false);
      channel.bind(address, BACKLOG);
      listening = true;
    } finally {
      if (!listening) {
        channel.close();
      }
    }
    Path file = endpoint instanceof Endpoint.UnixPath path ? Path.of(path.path()) : null;
    return new ManagedListener(channel, localOf(channel), file);
  }

  /** Of a channel that listens already. */
  static ManagedListener of(ServerSocketChannel channel) throws IOException {
    channel.configureBlocking(false);
    return new ManagedListener(channel, localOf(channel), null);
  }

  private static Endpoint localOf(ServerSocketChannel channel) throws IOException {
    SocketAddress address = channel.getLocalAddress();
    return address instanceof UnixDomainSocketAddress unix
        ? new Endpoint.UnixPath(unix.getPath().toString())
        : new Endpoint.Tcp((InetSocketAddress) address);
  }

  /** Who waits, or null. */
  SocketChannel accept() throws IOException {
    return channel.accept();
  }

  void close() {
    try {
      channel.close();
      if (file != null) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      LOG.warn("closing {} failed", local, e);
    }
  }
}
