package io.penstock.bench;

import io.penstock.shards.loop.Timer;
import io.penstock.shards.loop.TimerQueue;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What a message pays for idle timeouts, by the number of connections that have one. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class TimerQueueBenchmark {

  private static final long IDLE_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long NANOS_PER_MESSAGE = 1_000;

  @Param({"64", "1024", "16384"})
  int connections;

  private TimerQueue queue;
  private Timer[] idleTimers;
  private int next;
  private long nowNanos;

  @Setup
  public void scheduleAll() {
    queue =
        new TimerQueue(
            (timer, failure) -> {
              throw new AssertionError(timer.describe(), failure);
            });
    idleTimers = new Timer[connections];
    for (int i = 0; i < connections; i++) {
      idleTimers[i] = new Timer(() -> {});
      queue.schedule(idleTimers[i], TimerQueue.deadlineAfter(i, IDLE_TIMEOUT_NANOS));
    }
  }

  /** A message arrived on one connection after another: its deadline moves to the far end. */
  @Benchmark
  public void moveDeadline() {
    nowNanos += NANOS_PER_MESSAGE;
    queue.schedule(nextTimer(), TimerQueue.deadlineAfter(nowNanos, IDLE_TIMEOUT_NANOS));
  }

  /** A connection went and another one came. */
  @Benchmark
  public boolean cancelAndSchedule() {
    nowNanos += NANOS_PER_MESSAGE;
    Timer timer = nextTimer();
    boolean cancelled = queue.cancel(timer);
    queue.schedule(timer, TimerQueue.deadlineAfter(nowNanos, IDLE_TIMEOUT_NANOS));
    return cancelled;
  }

  private Timer nextTimer() {
    next = next + 1 == connections ? 0 : next + 1;
    return idleTimers[next];
  }
}
