package io.penstock.shards.poller.fd;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.core.PeerCredentials;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.memory.SegmentQueue;
import io.penstock.shards.poller.IoResult;
import io.penstock.shards.poller.SocketEvents;
import io.penstock.shards.poller.StreamSocket;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A socket whose connect must be tried again with a new one. It can only be closed. */
@OnShard
final class BacklogFullSocket implements StreamSocket {
  private static final Logger LOG = LoggerFactory.getLogger(BacklogFullSocket.class);

  private final FdSocket socket;
  private final SocketEvents events;

  BacklogFullSocket(FdSocket socket, SocketEvents events) {
    this.socket = socket;
    this.events = events;
  }

  @Override
  public int connectResult() {
    return IoResult.WOULD_BLOCK;
  }

  @Override
  public void close(boolean reset) {
    try {
      socket.close();
    } catch (IOException e) {
      LOG.warn("closing {} failed", socket, e);
    }
    events.onReleased();
  }

  @Override
  public void wantReceive(boolean wanted, boolean unbounded) {
    throw notConnected();
  }

  @Override
  public int receive(Segment into) {
    throw notConnected();
  }

  @Override
  public long write(SegmentQueue queue) {
    throw notConnected();
  }

  @Override
  public void wantWritable(boolean wanted) {
    throw notConnected();
  }

  @Override
  public int lookForBreak() {
    throw notConnected();
  }

  @Override
  public void finish() throws IOException {
    throw notConnected();
  }

  @Override
  public Endpoint remote() {
    throw notConnected();
  }

  @Override
  public Endpoint local() {
    throw notConnected();
  }

  @Override
  public PeerCredentials peerCredentials() throws IOException {
    throw notConnected();
  }

  private static IllegalStateException notConnected() {
    return new IllegalStateException("not connected: the listener's backlog was full");
  }
}
