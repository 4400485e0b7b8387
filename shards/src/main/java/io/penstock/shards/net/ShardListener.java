package io.penstock.shards.net;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.loop.Timer;
import io.penstock.shards.loop.TimerQueue;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.poller.AcceptEvents;
import io.penstock.shards.poller.AcceptedSocket;
import io.penstock.shards.poller.DetachedListener;
import io.penstock.shards.poller.IoResult;
import io.penstock.shards.poller.ListenRequest;
import io.penstock.shards.poller.ListenSocket;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One listening socket of a listener, on the shard that accepts from it. */
@OnShard
public final class ShardListener implements AcceptEvents {
  private static final Logger LOG = LoggerFactory.getLogger(ShardListener.class);

  /** How long accepting rests when the process has no descriptor left (accept(2), EMFILE). */
  private static final long REST_NANOS = 20_000_000;

  private final NetShard shard;
  private final ListenerCore core;
  private final Timer rest = new Timer(this::resume);
  private ListenSocket socket;
  private Runnable onClosed = () -> {};
  private boolean failing;

  private ShardListener(NetShard shard, ListenerCore core) {
    this.shard = shard;
    this.core = core;
  }

  /** Binds and begins to accept. */
  public static ShardListener open(NetShard shard, ListenerCore core, ListenRequest request)
      throws IOException {
    ShardListener listener = new ShardListener(shard, core);
    listener.start(shard.poller().listen(request, listener));
    return listener;
  }

  /** Goes on with the socket of a shard that ends. */
  public static ShardListener adopt(NetShard shard, ListenerCore core, DetachedListener detached)
      throws IOException {
    ShardListener listener = new ShardListener(shard, core);
    listener.start(shard.poller().adopt(detached, listener));
    return listener;
  }

  /** Accepts from a descriptor that listens already. */
  public static ShardListener adoptDescriptor(NetShard shard, ListenerCore core, int descriptor)
      throws IOException {
    ShardListener listener = new ShardListener(shard, core);
    listener.start(shard.poller().adoptDescriptor(descriptor, core.acceptedOptions(), listener));
    return listener;
  }

  private void start(ListenSocket opened) {
    socket = opened;
    socket.wantAccept(true);
  }

  /** The address bound. */
  public Endpoint local() {
    return socket.local();
  }

  /** Lets go of the socket with all that waits in its queue. */
  public DetachedListener detach() {
    shard.loop().timers().cancel(rest);
    return socket.detach();
  }

  /**
   * Takes what waits in the queue, then closes the socket: nobody who got in is reset.
   *
   * @param whenClosed run once, when the address is free
   */
  public void close(Runnable whenClosed) {
    onClosed = whenClosed;
    shard.loop().timers().cancel(rest);
    socket.acceptQueued();
    socket.close();
  }

  @Override
  public void onAccepted(AcceptedSocket accepted) {
    failing = false;
    if (!core.tryAdmit()) {
      shard.counters().increment(Counter.REFUSED);
      accepted.discard(true);
      return;
    }
    NetShard target;
    try {
      target = core.place(shard.index());
    } catch (RuntimeException e) {
      core.unadmit();
      accepted.discard(true);
      shard.applicationFailed("the placement", e);
      return;
    }
    if (target == shard) {
      shard.open(accepted, core);
      return;
    }
    try {
      target.loop().execute(() -> target.open(accepted, core));
    } catch (RejectedExecutionException e) {
      // The chosen shard has just ended: the connection stays with the one that accepted it.
      core.moved(target.index(), shard.index());
      shard.open(accepted, core);
    }
  }

  @Override
  public void onAcceptFailed(int result) {
    shard.counters().increment(Counter.ACCEPT_FAILURES);
    if (!failing) {
      failing = true;
      LOG.warn(
          "{} cannot accept: {}; who connects waits in the queue, and it is tried again every {} ms",
          socket.local(),
          IoResult.describe(result),
          REST_NANOS / 1_000_000);
    }
    socket.wantAccept(false);
    long nowNanos = shard.loop().nowNanos();
    shard.loop().timers().schedule(rest, TimerQueue.deadlineAfter(nowNanos, REST_NANOS));
  }

  @Override
  public void onClosed() {
    onClosed.run();
  }

  private void resume() {
    socket.wantAccept(true);
  }
}
