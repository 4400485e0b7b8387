package io.penstock.shards.net;

import io.penstock.shards.core.OnShard;
import io.penstock.shards.loop.ShardLoop;
import io.penstock.shards.loop.Timer;
import io.penstock.shards.loop.TimerQueue;
import io.penstock.shards.memory.SegmentPool;
import java.util.concurrent.TimeUnit;

/**
 * Has a pool give back what a burst left behind. Looks only while there is something to give back,
 * so that an idle shard stays asleep.
 */
@OnShard
final class IdleMemory {
  /** Memory that was not used for so long goes back, within twice that time. */
  static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final ShardLoop loop;
  private final SegmentPool pool;
  private final Timer timer = new Timer(this::look);
  private boolean armed;

  private IdleMemory(ShardLoop loop, SegmentPool pool) {
    this.loop = loop;
    this.pool = pool;
  }

  static void begin(ShardLoop loop, SegmentPool pool) {
    pool.onGrown(new IdleMemory(loop, pool)::arm);
  }

  private void arm() {
    if (!armed) {
      armed = true;
      loop.timers().schedule(timer, TimerQueue.deadlineAfter(loop.nowNanos(), PERIOD_NANOS));
    }
  }

  private void look() {
    armed = false;
    if (pool.trim()) {
      arm();
    }
  }
}
