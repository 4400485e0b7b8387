package io.penstock.shards.testing;

import io.penstock.shards.loop.TimerQueue;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** A {@link System#nanoTime} that a test moves by hand. Any thread may read and move it. */
public final class ManualClock implements LongSupplier {

  // Atomic: the test moves it while the threads under test read it.
  private final AtomicLong nowNanos;

  /**
   * Starts shortly before the numbers wrap around, so that every test crosses the wrap sooner or
   * later.
   */
  public ManualClock() {
    this(Long.MAX_VALUE - 1_000_000);
  }

  public ManualClock(long nowNanos) {
    this.nowNanos = new AtomicLong(nowNanos);
  }

  @Override
  public long getAsLong() {
    return nowNanos.get();
  }

  public void advance(Duration by) {
    advanceNanos(TimerQueue.saturatedNanos(by));
  }

  public void advanceNanos(long byNanos) {
    if (byNanos < 0) {
      throw new IllegalArgumentException("a clock does not go back, asked for " + byNanos + " ns");
    }
    nowNanos.addAndGet(byNanos);
  }

  /** Moves on to the instant, unless that has passed already. */
  public void advanceTo(long instantNanos) {
    long byNanos = instantNanos - getAsLong();
    if (byNanos > 0) {
      advanceNanos(byNanos);
    }
  }
}
