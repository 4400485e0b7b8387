package io.penstock.shards.net;

import io.penstock.shards.core.OnShard;
import io.penstock.shards.loop.ShardLoop;
import io.penstock.shards.loop.Timer;
import io.penstock.shards.loop.TimerQueue;
import io.penstock.shards.poller.Poller;

/**
 * Looks now and then for resets that no event tells of, on a backend whose poller does not report
 * them for sockets from which nothing is to be received; elsewhere it does nothing.
 *
 * <p>A look takes a few system calls. While connections are paused there is a bounded number of
 * looks a round, so that thousands of them are noticed later and not at a higher price; while none
 * is, there is no timer.
 */
@OnShard
final class ResetWatch {
  /** After the peer's end a connection is looked at this often. */
  private static final long ENDED_NANOS = 200_000_000;

  /** Between two rounds over paused connections. */
  private static final long ROUND_NANOS = 500_000_000;

  private static final int LOOKS_A_ROUND = 128;

  private final ShardLoop loop;
  private final ConnectionTable connections;
  private final Poller poller;
  private final Timer rounds = new Timer(this::lookAround);
  private boolean scheduled;
  private int next;

  ResetWatch(ShardLoop loop, ConnectionTable connections, Poller poller) {
    this.loop = loop;
    this.connections = connections;
    this.poller = poller;
  }

  /**
   * After the peer's end a selector can no longer wait for its reset without waking for the end
   * again and again.
   */
  void onPeerEnd(Connection connection) {
    if (poller.reportsBrokenWhileParked()) {
      return;
    }
    Timer[] timer = new Timer[1];
    timer[0] =
        new Timer(
            () -> {
              if (connection.isLive()) {
                look(connection);
                schedule(timer[0], ENDED_NANOS);
              }
            });
    schedule(timer[0], ENDED_NANOS);
  }

  /** Some connection receives nothing for now. */
  void onPaused() {
    if (!scheduled && !poller.reportsBrokenWhileParked()) {
      scheduled = true;
      schedule(rounds, ROUND_NANOS);
    }
  }

  private void lookAround() {
    scheduled = false;
    int looks = 0;
    for (int left = connections.size(); left > 0 && looks < LOOKS_A_ROUND; left--) {
      if (next >= connections.size()) {
        next = 0;
      }
      Connection connection = connections.at(next++);
      if (connection.mayBreakUnseen()) {
        looks++;
        look(connection);
      }
    }
    if (looks > 0) {
      onPaused();
    }
  }

  private static void look(Connection connection) {
    int result = connection.socket().lookForBreak();
    if (result < 0) {
      connection.failed(result);
    }
  }

  private void schedule(Timer timer, long delayNanos) {
    loop.timers().schedule(timer, TimerQueue.deadlineAfter(loop.nowNanos(), delayNanos));
  }
}
