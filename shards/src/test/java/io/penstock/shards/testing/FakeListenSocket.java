package io.penstock.shards.testing;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.PeerCredentials;
import io.penstock.shards.poller.AcceptEvents;
import io.penstock.shards.poller.AcceptedSocket;
import io.penstock.shards.poller.DetachedListener;
import io.penstock.shards.poller.ListenSocket;
import io.penstock.shards.poller.SocketEvents;
import io.penstock.shards.poller.StreamSocket;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/** A listening socket of a {@link FakePoller}: clients arrive when the test says so. */
public final class FakeListenSocket implements ListenSocket {
  private final FakePoller poller;
  private final Endpoint local;
  private final AcceptEvents events;
  private final Deque<FakeStreamSocket> queue = new ArrayDeque<>();
  private boolean wanted;
  private boolean closed;
  private boolean detached;

  FakeListenSocket(FakePoller poller, Endpoint local, AcceptEvents events) {
    this.poller = poller;
    this.local = local;
    this.events = events;
  }

  /** A client waits in the queue; the next poll tells, if accepting is wanted. */
  public FakeStreamSocket clientArrives() {
    FakeStreamSocket socket = new FakeStreamSocket(poller);
    queue.add(socket);
    poller.deliver(this::acceptIfWanted);
    return socket;
  }

  /** The next poll tells that accepting failed. */
  public void failAccept(int result) {
    poller.deliver(() -> events.onAcceptFailed(result));
  }

  public boolean isAcceptWanted() {
    return wanted;
  }

  public boolean isClosed() {
    return closed;
  }

  public boolean isDetached() {
    return detached;
  }

  private void acceptIfWanted() {
    if (wanted && !closed && !detached) {
      acceptQueued();
    }
  }

  @Override
  public Endpoint local() {
    return local;
  }

  @Override
  public void wantAccept(boolean accept) {
    wanted = accept;
    if (accept && !queue.isEmpty()) {
      poller.deliver(this::acceptIfWanted);
    }
  }

  @Override
  public void acceptQueued() {
    while (!queue.isEmpty()) {
      events.onAccepted(new Accepted(queue.removeFirst()));
    }
  }

  @Override
  public DetachedListener detach() {
    detached = true;
    return new Detached(this);
  }

  @Override
  public void close() {
    closed = true;
    events.onClosed();
  }

  /** Between accept and adoption. */
  record Accepted(FakeStreamSocket socket) implements AcceptedSocket {
    StreamSocket adopt(SocketEvents events) {
      return socket.attach(events, remote());
    }

    @Override
    public Endpoint remote() {
      return Endpoint.loopback(50_000);
    }

    @Override
    public PeerCredentials peerCredentials() throws IOException {
      return socket.peerCredentials();
    }

    @Override
    public void discard(boolean reset) {
      socket.discarded(reset);
    }
  }

  /** Between two shards. */
  record Detached(FakeListenSocket socket) implements DetachedListener {
    FakeListenSocket adopt(FakePoller poller, AcceptEvents events) {
      FakeListenSocket adopted = new FakeListenSocket(poller, socket.local, events);
      adopted.queue.addAll(socket.queue);
      return adopted;
    }

    @Override
    public void discard() {
      socket.closed = true;
    }
  }
}
