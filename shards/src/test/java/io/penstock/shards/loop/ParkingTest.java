package io.penstock.shards.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.memory.Segment;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.testing.FakePoller;
import io.penstock.shards.testing.ManualClock;
import io.penstock.shards.testing.SteppedShard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a shard goes to sleep, until when, and who wakes it. */
class ParkingTest {
  private static final long SPIN_NANOS = 20_000;

  private final SteppedShard shard = new SteppedShard();
  private final ShardLoop loop = shard.loop();
  private final FakePoller poller = shard.poller();
  private final ManualClock clock = shard.clock();
  private final List<String> done = new ArrayList<>();

  @Test
  void withNothingToDoItSleepsWithoutEnd() {
    shard.turn();

    assertThat(poller.waits()).isEqualTo(1);
    assertThat(poller.waitDeadlineNanos()).isEqualTo(TimerQueue.NEVER);
    assertThat(shard.count(Counter.PARKS)).isEqualTo(1);
    assertThat(shard.count(Counter.SPINS)).isZero();
  }

  @Test
  void itSleepsUntilTheNextTimerAndNotWhenThatIsDue() {
    long deadlineNanos = clock.getAsLong() + 5_000_000;
    loop.timers().schedule(new Timer(() -> done.add("timer")), deadlineNanos);

    shard.turn();
    assertThat(poller.waitDeadlineNanos()).isEqualTo(deadlineNanos);
    assertThat(poller.waits()).isEqualTo(1);
    clock.advanceTo(deadlineNanos);
    shard.turn();

    assertThat(poller.waits()).isEqualTo(1);
    assertThat(done).containsExactly("timer");
  }

  @Test
  void aTimerThatComesDueDuringTheSleepFiresInThatTurn() {
    loop.timers().schedule(new Timer(() -> done.add("timer")), clock.getAsLong() + 500_000);
    poller.whileWaiting(() -> clock.advance(Duration.ofMillis(2)));

    shard.turn();

    assertThat(done).containsExactly("timer");
  }

  @Test
  void aDelayWithoutMeasureNeverFiresAndDoesNotKeepItAwake() {
    for (Duration absurd :
        List.of(
            Duration.ofDays(36_500),
            Duration.ofMillis(Long.MAX_VALUE),
            Duration.ofSeconds(Long.MAX_VALUE))) {
      long delayNanos = TimerQueue.saturatedNanos(absurd);
      loop.timers()
          .schedule(
              new Timer(() -> done.add("timer")),
              TimerQueue.deadlineAfter(clock.getAsLong(), delayNanos));
    }
    shard.turn();
    clock.advance(Duration.ofDays(3_650));
    shard.turn();

    assertThat(done).isEmpty();
    assertThat(poller.waits()).isEqualTo(2);
    assertThat(poller.waitDeadlineNanos()).isEqualTo(TimerQueue.NEVER);
  }

  @Test
  void itLooksForWorkAsLongAsItMayAndSleepsThen() {
    SteppedShard spinning = new SteppedShard(new LoopOptions(SPIN_NANOS, 500_000, 64), 1 << 20);
    spinning.poller().deliver(() -> done.add("work"));
    spinning.turn();
    for (int i = 0; i < 19; i++) {
      spinning.clock().advanceNanos(1_000);
      spinning.turn();
    }
    assertThat(spinning.poller().waits()).isZero();
    assertThat(spinning.count(Counter.SPINS)).isEqualTo(19);

    // The time of the last look is the latest that it knows of.
    spinning.clock().advanceNanos(1_000);
    spinning.turn();
    spinning.turn();
    assertThat(spinning.poller().waits()).isEqualTo(1);

    spinning.poller().deliver(() -> done.add("more"));
    spinning.turn();
    spinning.turn();
    assertThat(spinning.poller().waits()).isEqualTo(1);
  }

  @Test
  void nobodyRingsForAShardThatIsAwake() throws InterruptedException {
    poller.deliver(() -> sendFromElsewhere(1_000));
    shard.turn();
    shard.turnUntilIdle();

    assertThat(done).hasSize(1_000);
    assertThat(poller.wakeUps()).isZero();
    assertThat(shard.count(Counter.WAKE_UPS)).isZero();
  }

  @Test
  void aThousandMessagesToASleeperRingOnce() {
    poller.whileWaiting(() -> sendFromElsewhere(1_000));

    shard.turn();
    shard.turn();

    assertThat(done).hasSize(1_000);
    assertThat(poller.wakeUps()).isEqualTo(1);
    assertThat(shard.count(Counter.WAKE_UPS)).isEqualTo(1);
    assertThat(shard.count(Counter.PARKS)).isEqualTo(1);
  }

  @Test
  void aMessageThatComesWhileItArmsItsWakeUpKeepsItAwake() {
    poller.whileArming(() -> sendFromElsewhere(1));

    shard.turn();
    assertThat(poller.waits()).isZero();
    shard.turn();

    assertThat(done).hasSize(1);
  }

  @Test
  void aShardThatSleptIsAwakeForWhatItsOwnEventsBring() {
    poller.whileWaiting(
        () -> {
          poller.deliver(() -> done.add("event"));
        });
    shard.turn();
    poller.deliver(() -> sendFromElsewhere(1));
    shard.turn();
    shard.turn();

    assertThat(done).hasSize(2);
    assertThat(poller.wakeUps()).isZero();
  }

  @Test
  void timeAsleepIsNoStallAndTheTimeOfTheTurnIsThatOfWaking() {
    long[] seenNanos = new long[1];
    poller.whileWaiting(
        () -> {
          clock.advance(Duration.ofSeconds(10));
          poller.deliver(
              () -> {
                loop.running("an event");
                seenNanos[0] = loop.nowNanos();
              });
        });

    shard.turn();

    assertThat(shard.count(Counter.STALLS)).isZero();
    assertThat(seenNanos[0]).isEqualTo(clock.getAsLong());
  }

  @Test
  void aHangInTheFirstEventAfterSleepIsAStall() {
    poller.whileWaiting(
        () -> {
          clock.advance(Duration.ofSeconds(10));
          poller.deliver(
              () -> {
                loop.running("an event");
                clock.advance(Duration.ofMillis(60));
              });
        });

    shard.turn();

    assertThat(shard.count(Counter.STALLS)).isEqualTo(1);
  }

  @Test
  void aSegmentThatComesHomeWakesAShardThatRanOutOfThem() {
    SteppedShard poor = new SteppedShard(LoopOptions.defaults(), 1 << 18);
    List<String> recovered = new ArrayList<>();
    poor.loop().onPoolRecovered(() -> recovered.add("recovered"));
    Segment only = poor.pool().lease(1 << 18, "the test");
    assertThat(poor.pool().tryLease(1 << 18, "the test")).isNull();
    poor.poller().whileWaiting(() -> elsewhere(only::release));

    poor.turn();
    assertThat(poor.poller().wakeUps()).isEqualTo(1);
    assertThat(recovered).isEmpty();
    poor.turn();

    assertThat(recovered).hasSize(1);
    assertThat(poor.pool().leasedCount()).isZero();
  }

  @Test
  void aSegmentThatComesHomeWhileItArmsItsWakeUpKeepsItAwake() {
    SteppedShard poor = new SteppedShard(LoopOptions.defaults(), 1 << 18);
    Segment only = poor.pool().lease(1 << 18, "the test");
    assertThat(poor.pool().tryLease(1 << 18, "the test")).isNull();
    poor.poller().whileArming(() -> elsewhere(only::release));

    poor.turn();

    assertThat(poor.poller().waits()).isZero();
  }

  @Test
  void aSegmentThatComesHomeToAShardWithEnoughOfThemWakesNobody() {
    Segment segment = shard.pool().lease(100, "the test");
    poller.whileWaiting(() -> elsewhere(segment::release));

    shard.turn();
    shard.turn();

    assertThat(poller.wakeUps()).isZero();
    assertThat(shard.pool().leasedCount()).isZero();
  }

  private void sendFromElsewhere(int count) {
    elsewhere(
        () -> {
          for (int i = 0; i < count; i++) {
            loop.execute(() -> done.add("message"));
          }
        });
  }

  private static void elsewhere(Runnable action) {
    Thread thread = new Thread(action, "elsewhere");
    thread.start();
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
