package io.penstock.shards.testing;

import io.penstock.shards.core.Endpoint;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/**
 * A listening socket of the JDK that accepts when it is told to. With a backlog of 2 it is a
 * stalled one: on loopback three connects complete and the fourth waits. One thread.
 */
public final class RawListener implements AutoCloseable {
  private final ServerSocketChannel channel;
  private final List<RawPeer> queued = new ArrayList<>();

  private RawListener(ServerSocketChannel channel) {
    this.channel = channel;
  }

  public static RawListener open(SocketAddress address, int backlog) throws IOException {
    ServerSocketChannel channel =
        address instanceof UnixDomainSocketAddress
            ? ServerSocketChannel.open(StandardProtocolFamily.UNIX)
            : ServerSocketChannel.open();
    try {
      channel.bind(address, backlog);
      return new RawListener(channel);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /** Fills the queue of a listener with that backlog, so that the next connect has to wait. */
  public void fillQueue(int backlog) throws IOException {
    for (int i = 0; i <= backlog; i++) {
      queued.add(RawPeer.connect(address()));
    }
  }

  public SocketAddress address() throws IOException {
    return channel.getLocalAddress();
  }

  public Endpoint endpoint() throws IOException {
    return address() instanceof UnixDomainSocketAddress unix
        ? new Endpoint.UnixPath(unix.getPath().toString())
        : new Endpoint.Tcp((InetSocketAddress) address());
  }

  public RawPeer accept() throws IOException {
    return new RawPeer(channel.accept());
  }

  /** The next that waits, or null if nobody does. */
  public RawPeer tryAccept() throws IOException {
    channel.configureBlocking(false);
    try {
      SocketChannel accepted = channel.accept();
      return accepted == null ? null : new RawPeer(accepted);
    } finally {
      channel.configureBlocking(true);
    }
  }

  @Override
  public void close() throws IOException {
    SocketAddress address = channel.isOpen() ? address() : null;
    channel.close();
    for (RawPeer peer : queued) {
      peer.close();
    }
    if (address instanceof UnixDomainSocketAddress unix) {
      Files.deleteIfExists(unix.getPath());
    }
  }
}
