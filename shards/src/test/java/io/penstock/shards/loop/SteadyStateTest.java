package io.penstock.shards.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.metrics.Counter;
import io.penstock.shards.metrics.ShardCounters;
import io.penstock.shards.testing.AllocatedBytes;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What runs in every turn takes no memory. */
class SteadyStateTest {

  private static final int COUNT = 100_000;

  /** Far below one byte a repetition; what the virtual machine itself may take meanwhile. */
  private static final long NOISE_BYTES = 20_000;

  private long nowNanos;
  private long firedCount;

  @Test
  void schedulingMovingCancellingAndFiringTimersAllocatesNothing() {
    TimerQueue queue =
        new TimerQueue(
            (timer, failure) -> {
              throw new AssertionError("a timer failed", failure);
            });
    Timer[] timers = new Timer[100];
    for (int i = 0; i < timers.length; i++) {
      timers[i] = new Timer(() -> firedCount++);
      queue.schedule(timers[i], i);
    }

    long bytes =
        AllocatedBytes.whileRepeating(
            COUNT,
            () -> {
              nowNanos++;
              int index = (int) (nowNanos % timers.length);
              queue.cancel(timers[(index + 50) % timers.length]);
              queue.schedule(timers[index], TimerQueue.deadlineAfter(nowNanos, index));
              queue.expire(nowNanos, 10);
            });

    assertThat(bytes).isLessThan(NOISE_BYTES);
    assertThat(firedCount).isGreaterThan(COUNT / 10);
  }

  @Test
  void turnsAndCountsAllocateNothing() {
    TurnMonitor monitor = new TurnMonitor(0, Duration.ofMillis(50));
    ShardCounters counters = new ShardCounters();
    Runnable task = () -> {};

    long bytes =
        AllocatedBytes.whileRepeating(
            COUNT,
            () -> {
              monitor.turnStarted(nowNanos);
              monitor.phase(Phase.TASKS);
              monitor.running(task);
              nowNanos++;
              counters.add(Counter.RECEIVED_BYTES, 64);
              if (monitor.turnEnded(nowNanos)) {
                counters.increment(Counter.STALLS);
              }
              counters.increment(Counter.TURNS);
            });

    assertThat(bytes).isLessThan(NOISE_BYTES);
    assertThat(counters.get(Counter.TURNS)).isEqualTo(2 * COUNT);
    assertThat(counters.get(Counter.STALLS)).isZero();
  }
}
