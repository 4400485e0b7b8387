package io.penstock.shards.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.testing.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tiny, huge and negative delays. */
class TimerDelayTest {

  private static final int NO_LIMIT = Integer.MAX_VALUE;

  private final ManualClock clock = new ManualClock();
  private final TimerQueue queue =
      new TimerQueue(
          (timer, failure) -> {
            throw new AssertionError("a timer failed", failure);
          });
  private int fired;
  private final Timer timer = new Timer(() -> fired++);

  /** Very short timers on an idle shard, one after another. */
  @Test
  void shortTimersOneAfterAnotherAllFireOnTime() {
    long[] delaysNanos = {0, 1, 1_000, 999_000};
    int count = 100_000;
    for (int i = 0; i < count; i++) {
      long startNanos = clock.getAsLong();
      queue.schedule(timer, TimerQueue.deadlineAfter(startNanos, delaysNanos[i % 4]));
      long parkNanos = queue.nextDelayNanos(startNanos);
      assertThat(parkNanos).isEqualTo(delaysNanos[i % 4]);
      clock.advanceNanos(parkNanos);
      assertThat(queue.expire(clock.getAsLong(), NO_LIMIT)).isEqualTo(1);
    }
    assertThat(fired).isEqualTo(count);
  }

  @ParameterizedTest
  @CsvSource({
    "PT0S, 0",
    "PT-0.000000001S, 0",
    "PT-2562047H, 0",
    "PT0.000000001S, 1",
    "PT24H, 86400000000000",
    "PT613200H, 2207520000000000000", // 70 years: still ends
    "PT876000H, never", // 100 years
    "PT2562047H47M16.854775807S, never", // MAX_VALUE ns
    "PT2562047788015H12M55.807S, never", // MAX_VALUE ms
    "PT-2562047788015H-12M-55.808S, 0" // MIN_VALUE ms
  })
  void hugeDelaysNeverEndAndNegativeOnesAreDueAtOnce(Duration delay, String expected) {
    long delayNanos = TimerQueue.saturatedNanos(delay);
    for (long nowNanos :
        new long[] {0, 1, -1, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE - 1}) {
      long deadlineNanos = TimerQueue.deadlineAfter(nowNanos, delayNanos);
      if (expected.equals("never")) {
        assertThat(deadlineNanos).as("now %d", nowNanos).isEqualTo(TimerQueue.NEVER);
        continue;
      }
      assertThat(deadlineNanos).as("now %d", nowNanos).isNotEqualTo(TimerQueue.NEVER);
      long waitNanos = deadlineNanos - nowNanos;
      // One late where the exact sum would read as never.
      assertThat(waitNanos).isBetween(Long.parseLong(expected), Long.parseLong(expected) + 1);

      queue.schedule(timer, deadlineNanos);
      assertThat(queue.nextDelayNanos(nowNanos)).isEqualTo(waitNanos);
      if (waitNanos > 0) {
        assertThat(queue.expire(nowNanos + waitNanos - 1, NO_LIMIT)).isZero();
      }
      assertThat(queue.expire(nowNanos + waitNanos, NO_LIMIT)).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "PT2562047H47M16.854775807S, 9223372036854775807",
    "PT2562047H47M16.854775808S, 9223372036854775807",
    "PT-2562047H-47M-16.854775808S, -9223372036854775808",
    "PT-2562048H, -9223372036854775808",
    "PT1S, 1000000000"
  })
  void durationsThatDoNotFitSaturate(Duration duration, long nanos) {
    assertThat(TimerQueue.saturatedNanos(duration)).isEqualTo(nanos);
  }
}
