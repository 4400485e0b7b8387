package io.penstock.shards.loop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the turns of a group's shards and reports those that go over their budget, with a stack
 * taken while they hang.
 *
 * <p>It looks every half budget, and once more at the moment when a turn that it has seen start
 * would go over. A stall is reported when it has ended, with its whole duration; one that goes on
 * is reported after the report interval and again each time its duration has doubled. There is at
 * most one report per shard and interval; the next says how many were withheld. An idle shard is
 * never reported, however long it sleeps.
 *
 * <p>Thread: any may start and close it; {@link #sample} belongs to its own thread, or to a test
 * that never starts it. Failure: a listener or a look that throws is logged, and the watch goes on.
 */
public final class StallDetector implements AutoCloseable {

  public static final String THREAD_NAME = "penstock-stall-watch";
  public static final Duration DEFAULT_REPORT_INTERVAL = Duration.ofSeconds(1);

  private static final Logger LOG = LoggerFactory.getLogger(StallDetector.class);

  /** So that a turn just about to go over cannot make the watch spin. */
  private static final long MIN_PARK_NANOS = 100_000;

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final List<StallWatch> watches;
  private final long reportIntervalNanos;
  private final LongSupplier nanoClock;

  // Guarded by this, as start and close may come from two threads.
  private Thread thread;

  // Volatile: set by whoever closes, read by the watch before each look.
  private volatile boolean closed;

  /**
   * @param reportInterval least time between two reports about a shard
   * @param nanoClock the same that the monitors get their times from; once started, it has to
   *     advance with real time
   */
  public StallDetector(
      List<TurnMonitor> monitors,
      Duration reportInterval,
      LongSupplier nanoClock,
      StallListener listener) {
    if (reportInterval.isNegative()) {
      throw new IllegalArgumentException(
          "report interval is " + reportInterval + ", must not be negative");
    }
    this.reportIntervalNanos = TimerQueue.saturatedNanos(reportInterval);
    this.nanoClock = nanoClock;
    this.watches =
        monitors.stream()
            .map(
                monitor ->
                    new StallWatch(monitor, reportIntervalNanos, report -> tell(listener, report)))
            .toList();
  }

  /** Starts the watch's thread, a daemon. */
  public synchronized void start() {
    if (closed || thread != null) {
      throw new IllegalStateException(
          "the stall watch was " + (closed ? "closed" : "started") + " already");
    }
    thread = new Thread(this::watch, THREAD_NAME);
    thread.setDaemon(true);
    thread.start();
  }

  /** Ends the watch and waits until its thread has left, unless called on that thread. */
  @Override
  public void close() {
    Thread watching;
    synchronized (this) {
      closed = true;
      watching = thread;
    }
    if (watching == null || watching == Thread.currentThread()) {
      return;
    }
    LockSupport.unpark(watching);
    try {
      watching.join(CLOSE_TIMEOUT.toMillis());
      if (watching.isAlive()) {
        LOG.warn("{} did not end within {}; is its listener stuck?", THREAD_NAME, CLOSE_TIMEOUT);
      }
    } catch (InterruptedException interrupted) {
      // It ends all the same; the caller only does not want to wait for it.
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Looks at every shard once.
   *
   * @return how many nanoseconds later to look again, at the latest
   */
  long sample(long nowNanos) {
    long delayNanos = Long.MAX_VALUE;
    for (StallWatch watch : watches) {
      delayNanos = Math.min(delayNanos, watch.look(nowNanos));
    }
    return delayNanos;
  }

  private void watch() {
    while (!closed) {
      long delayNanos;
      try {
        delayNanos = sample(nanoClock.getAsLong());
      } catch (Throwable failure) {
        LOG.error("Looking at the shards failed; goes on after the report interval", failure);
        delayNanos = reportIntervalNanos;
      }
      // An interrupt is not for us, and while it is pending no park would wait.
      Thread.interrupted();
      LockSupport.parkNanos(this, Math.max(MIN_PARK_NANOS, delayNanos));
    }
  }

  private static void tell(StallListener listener, StallReport report) {
    try {
      listener.stalled(report);
    } catch (Throwable failure) {
      LOG.error("The stall listener threw at: {}", report.summary(), failure);
    }
  }
}
