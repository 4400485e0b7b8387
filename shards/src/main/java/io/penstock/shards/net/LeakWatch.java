package io.penstock.shards.net;

import io.penstock.shards.core.OnShard;
import io.penstock.shards.loop.ShardLoop;
import io.penstock.shards.loop.Timer;
import io.penstock.shards.loop.TimerQueue;
import io.penstock.shards.memory.LongLease;
import io.penstock.shards.memory.SegmentPool;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Tells who has held segments for long. Looks only while leases are watched that go on, so that an
 * idle shard stays asleep.
 */
@OnShard
final class LeakWatch {
  /** A segment that is out for so long is queued behind a stuck peer, kept on purpose, or lost. */
  static final long AGE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final ShardLoop loop;
  private final SegmentPool pool;
  private final Consumer<LongLease> listener;
  private final Timer timer = new Timer(this::look);
  private boolean armed;

  private LeakWatch(ShardLoop loop, SegmentPool pool, Consumer<LongLease> listener) {
    this.loop = loop;
    this.pool = pool;
    this.listener = listener;
  }

  /** From now on the listener is told, on the shard. */
  static void begin(ShardLoop loop, SegmentPool pool, Consumer<LongLease> listener) {
    pool.onSampled(new LeakWatch(loop, pool, listener)::arm);
  }

  private void arm() {
    if (!armed) {
      armed = true;
      loop.timers().schedule(timer, TimerQueue.deadlineAfter(loop.nowNanos(), AGE_NANOS));
    }
  }

  private void look() {
    armed = false;
    for (LongLease lease : pool.takeLongLeases(AGE_NANOS)) {
      // The shard keeps its scratch for as long as it runs.
      if (!(lease.owner() instanceof ReadScratch)) {
        listener.accept(lease);
      }
    }
    if (pool.isWatchingLeases()) {
      arm();
    }
  }
}
