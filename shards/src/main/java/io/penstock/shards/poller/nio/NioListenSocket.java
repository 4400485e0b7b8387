package io.penstock.shards.poller.nio;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.poller.AcceptEvents;
import io.penstock.shards.poller.DetachedListener;
import io.penstock.shards.poller.ListenSocket;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A listening socket as a channel of the JDK; it accepts a bounded number a turn. */
@OnShard
final class NioListenSocket implements ListenSocket, NioHandle {
  private static final Logger LOG = LoggerFactory.getLogger(NioListenSocket.class);
  private static final int ACCEPTS_A_TURN = 64;

  private final NioPoller poller;
  private final NioBound bound;
  private final AcceptEvents events;
  private SelectionKey key;
  private boolean closed;

  private NioListenSocket(NioPoller poller, NioBound bound, AcceptEvents events) {
    this.poller = poller;
    this.bound = bound;
    this.events = events;
  }

  static NioListenSocket watch(NioPoller poller, NioBound bound, AcceptEvents events)
      throws IOException {
    NioListenSocket socket = new NioListenSocket(poller, bound, events);
    try {
      socket.key = bound.channel().register(poller.selector(), 0, socket);
    } catch (IOException e) {
      bound.close();
      throw e;
    }
    return socket;
  }

  @Override
  public void onReady(int readyOps) {
    acceptSome(ACCEPTS_A_TURN);
  }

  @Override
  public void onUnhandled() {
    LOG.error("{} accepts no more", this);
    wantAccept(false);
  }

  @Override
  public void wantAccept(boolean wanted) {
    if (!closed) {
      key.interestOps(wanted ? SelectionKey.OP_ACCEPT : 0);
    }
  }

  @Override
  public void acceptQueued() {
    while (!closed && acceptSome(ACCEPTS_A_TURN)) {
      // Until the queue is empty or accepting fails.
    }
  }

  /** True if there may be more. */
  private boolean acceptSome(int limit) {
    for (int i = 0; i < limit; i++) {
      if (closed) {
        return false;
      }
      SocketChannel accepted;
      try {
        poller.context.called();
        accepted = bound.channel().accept();
      } catch (IOException e) {
        events.onAcceptFailed(NioErrors.resultOf(e));
        return false;
      }
      if (accepted == null) {
        return false;
      }
      hand(accepted);
    }
    return true;
  }

  private void hand(SocketChannel channel) {
    NioAcceptedSocket accepted;
    try {
      accepted = new NioAcceptedSocket(channel, NioAddresses.endpoint(channel.getRemoteAddress()));
      channel.configureBlocking(false);
      NioOptions.applyToStream(channel, bound.local(), bound.acceptedOptions());
    } catch (IOException e) {
      // The peer reset it before it was accepted, or an option does not fit: this one only.
      LOG.debug("dropped a connection of {} at accept", bound.local(), e);
      NioAcceptedSocket.close(channel, !bound.local().isUnix());
      return;
    }
    events.onAccepted(accepted);
  }

  @Override
  public Endpoint local() {
    return bound.local();
  }

  @Override
  public DetachedListener detach() {
    closed = true;
    key.cancel();
    try {
      // Only a select takes the key out; until then no other selector may have the channel.
      poller.dropCancelledKeys();
    } catch (IOException e) {
      LOG.warn("{} may be watched twice", this, e);
    }
    return new NioDetachedListener(bound);
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    bound.close();
    try {
      // Only a select gives the address back.
      poller.dropCancelledKeys();
    } catch (IOException e) {
      LOG.warn("{} may keep its address for a while", this, e);
    }
    events.onClosed();
  }

  @Override
  public String toString() {
    return "listening socket on " + bound.local();
  }
}
