package io.penstock.shards.net;

import io.penstock.shards.core.OnShard;
import io.penstock.shards.loop.Timer;
import io.penstock.shards.loop.TimerQueue;
import io.penstock.shards.poller.StreamSocket;
import java.io.IOException;
import java.time.Duration;

/** The states of a connection and what moves it from one to the next. */
@OnShard
final class ConnectionLife {
  private final Connection connection;
  private final NetShard shard;
  private ConnectionState state;
  private CloseReason reason;
  private long lastActivityNanos;
  // One timer serves the idle timeout while open, the close timeout and the linger timeout after.
  private Timer timer;
  private Runnable onDecided = () -> {};

  ConnectionLife(Connection connection, ConnectionState initial) {
    this.connection = connection;
    this.shard = connection.shard;
    this.state = initial;
    this.lastActivityNanos = shard.loop().nowNanos();
  }

  ConnectionState state() {
    return state;
  }

  CloseReason reason() {
    return reason;
  }

  void touch() {
    lastActivityNanos = shard.loop().nowNanos();
  }

  /** Has that run when the connection opens or ends before; for who waits for a connect. */
  void onDecided(Runnable action) {
    onDecided = action;
  }

  void open() {
    state = ConnectionState.OPEN;
    touch();
    decided();
    armIdle();
    shard.loop().running(connection);
    try {
      connection.handler().onOpened(connection);
    } catch (Throwable t) {
      connection.handlerFailed(t);
      return;
    }
    if (connection.isLive()) {
      connection.out.onOpened();
      connection.in.demandChanged();
    }
  }

  void close() {
    switch (state) {
      case CONNECTING -> end(new CloseReason.Closed(), true);
      case OPEN -> {
        state = ConnectionState.CLOSING;
        connection.out.finish();
        if (connection.out.isFinished()) {
          linger();
        } else {
          armClose();
          connection.in.discard(connection.options().lingerBytes());
        }
      }
      default -> {
        // Closing or closed already: the first call decides.
      }
    }
  }

  /** The queue has left and the output was ended: the peer learns it. */
  void onOutputDrained() {
    if (state == ConnectionState.CLOSING && connection.in.peerFinished()) {
      end(new CloseReason.Closed(), false);
      return;
    }
    if (!tellPeer()) {
      return;
    }
    if (state == ConnectionState.CLOSING) {
      linger();
    } else if (connection.in.peerFinished()) {
      end(new CloseReason.Finished(), false);
    }
  }

  void onPeerEnd() {
    if (state == ConnectionState.LINGERING) {
      end(new CloseReason.Closed(), false);
      return;
    }
    if (state != ConnectionState.OPEN) {
      return;
    }
    shard.resetWatch().onPeerEnd(connection);
    try {
      connection.handler().onPeerFinished(connection);
    } catch (Throwable t) {
      connection.handlerFailed(t);
      return;
    }
    if (state == ConnectionState.OPEN && connection.out.isFinished()) {
      end(new CloseReason.Finished(), false);
    }
  }

  /** The peer did not end in time, or sent more than is discarded for it. */
  void onLingerOver() {
    if (state == ConnectionState.LINGERING) {
      end(new CloseReason.Closed(), false);
    }
  }

  /** Ends it now. The first reason stays. */
  void end(CloseReason why, boolean reset) {
    if (state == ConnectionState.CLOSED) {
      return;
    }
    state = ConnectionState.CLOSED;
    reason = why;
    cancelTimer();
    connection.out.failAcks(why);
    connection.in.releaseStaged();
    decided();
    StreamSocket socket = connection.socket();
    if (socket == null) {
      onReleased();
    } else {
      socket.close(reset);
    }
  }

  /** The kernel has let go. The handler is told after the callback that may be running. */
  void onReleased() {
    connection.out.releaseAll();
    shard.loop().later(this::tellClosed);
  }

  private void tellClosed() {
    shard.forget(connection);
    try {
      connection.handler().onClosed(connection, reason);
    } catch (Throwable t) {
      shard.applicationFailed("the handler of " + connection, t);
    }
  }

  private void decided() {
    Runnable action = onDecided;
    onDecided = () -> {};
    action.run();
  }

  private boolean tellPeer() {
    try {
      connection.socket().finish();
      return true;
    } catch (IOException e) {
      // The peer is gone already: what was written may not have reached it.
      end(new CloseReason.PeerReset(e.getMessage()), true);
      return false;
    }
  }

  private void linger() {
    state = ConnectionState.LINGERING;
    cancelTimer();
    Duration timeout = connection.options().lingerTimeout();
    if (connection.in.peerFinished() || timeout.isZero()) {
      end(new CloseReason.Closed(), false);
      return;
    }
    timer = new Timer(this::onLingerOver);
    schedule(ConnectionOptions.saturatedNanos(timeout));
    connection.in.discard(connection.options().lingerBytes());
  }

  private void armIdle() {
    Duration timeout = connection.options().idleTimeout();
    if (!timeout.isZero()) {
      long idleNanos = ConnectionOptions.saturatedNanos(timeout);
      timer = new Timer(() -> idleMayBeOver(timeout, idleNanos));
      schedule(idleNanos);
    }
  }

  /** Moves on without having been re-armed by each byte: the deadline is checked when it comes. */
  private void idleMayBeOver(Duration timeout, long idleNanos) {
    long left = idleNanos - (shard.loop().nowNanos() - lastActivityNanos);
    if (left > 0) {
      schedule(left);
    } else {
      end(new CloseReason.IdleTimeout(timeout), true);
    }
  }

  /** A shorter idle timeout that runs already is kept instead. */
  private void armClose() {
    Duration timeout = connection.options().closeTimeout();
    Duration idle = connection.options().idleTimeout();
    if (timeout.isZero() || (!idle.isZero() && idle.compareTo(timeout) <= 0)) {
      return;
    }
    cancelTimer();
    long timeoutNanos = ConnectionOptions.saturatedNanos(timeout);
    long[] seenBytes = {connection.out.writtenBytes()};
    timer =
        new Timer(
            () -> {
              long writtenBytes = connection.out.writtenBytes();
              if (writtenBytes == seenBytes[0]) {
                end(new CloseReason.CloseTimeout(timeout), true);
              } else {
                seenBytes[0] = writtenBytes;
                schedule(timeoutNanos);
              }
            });
    schedule(timeoutNanos);
  }

  private void schedule(long delayNanos) {
    TimerQueue timers = shard.loop().timers();
    timers.schedule(timer, TimerQueue.deadlineAfter(shard.loop().nowNanos(), delayNanos));
  }

  private void cancelTimer() {
    if (timer != null) {
      shard.loop().timers().cancel(timer);
      timer = null;
    }
  }
}
