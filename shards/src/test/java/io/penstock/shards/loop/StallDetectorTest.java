package io.penstock.shards.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.penstock.shards.testing.CapturedLog;
import io.penstock.shards.testing.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The detector, sampled by hand, with a clock moved by hand and a thread that really hangs. */
class StallDetectorTest {

  private static final Duration BUDGET = Duration.ofMillis(50);

  private final ManualClock clock = new ManualClock();
  private final TurnMonitor monitor = new TurnMonitor(2, BUDGET);
  private final List<StallReport> reports = new ArrayList<>();
  private final StallDetector detector = detector(List.of(monitor));
  private final HangingShard shard = new HangingShard(monitor, clock);

  @AfterEach
  void endShard() {
    shard.close();
  }

  @Test
  void aStallIsReportedWithPhaseTaskWholeDurationAndTheStackOfTheHang() throws Exception {
    shard.hangIn(Phase.TASKS, (Described) () -> "mailbox of user 7");
    advanceAndSample(60);
    assertThat(reports).isEmpty();
    clock.advance(Duration.ofMillis(40));
    assertThat(shard.letGo()).isTrue();
    sample();

    StallReport report = onlyReport();
    assertThat(report.shardIndex()).isEqualTo(2);
    assertThat(report.phase()).isEqualTo(Phase.TASKS);
    assertThat(report.what()).contains("mailbox of user 7");
    assertThat(report.durationNanos()).isEqualTo(100_000_000);
    assertThat(report.budgetNanos()).isEqualTo(50_000_000);
    assertThat(report.ongoing()).isFalse();
    assertThat(report.suppressedCount()).isZero();
    assertThat(report.stack())
        .anyMatch(
            frame ->
                frame.getClassName().equals(HangingShard.class.getName())
                    && frame.getMethodName().equals("hang"));
    sample();
    assertThat(reports).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "IDLE")
  void aHangInAnyPhaseIsBlamedOnThatPhase(Phase phase) throws Exception {
    shard.hangIn(phase, null);
    advanceAndSample(51);
    shard.letGo();
    sample();

    assertThat(onlyReport().phase()).isEqualTo(phase);
    assertThat(onlyReport().what()).isEmpty();
    assertThat(onlyReport().stack()).isNotEmpty();
  }

  @Test
  void aTurnWithinItsBudgetIsNotReported() throws Exception {
    shard.hangIn(Phase.POLL, this);
    advanceAndSample(50);
    assertThat(shard.letGo()).isFalse();
    sample();

    assertThat(reports).isEmpty();
  }

  @Test
  void aShardThatSleepsBetweenTurnsIsNeverReported() throws Exception {
    shard.hangBetweenTurns();
    for (int i = 0; i < 1_000; i++) {
      assertThat(advanceAndSample(60_000)).isEqualTo(25_000_000);
    }

    assertThat(reports).isEmpty();
  }

  @Test
  void aStallThatGoesOnIsReportedAfterTheIntervalAtEachDoublingAndAtItsEnd() throws Exception {
    shard.hangIn(Phase.TASKS, this);
    for (int millis = 25; millis <= 10_000; millis += 25) {
      advanceAndSample(25);
    }

    assertThat(reports).allMatch(StallReport::ongoing);
    assertThat(reports)
        .extracting(StallReport::durationNanos)
        .containsExactly(1_000_000_000L, 2_000_000_000L, 4_000_000_000L, 8_000_000_000L);
    assertThat(reports).allMatch(report -> report.suppressedCount() == 0);
    assertThat(reports).allMatch(report -> report.what().equals(Optional.of(getClass().getName())));

    shard.letGo();
    sample();
    assertThat(reports).hasSize(5);
    assertThat(reports.get(4).ongoing()).isFalse();
    assertThat(reports.get(4).durationNanos()).isEqualTo(10_000_000_000L);
  }

  @Test
  void stallsThatFollowWithinTheIntervalAreCountedInTheNextReport() throws Exception {
    for (int i = 0; i < 4; i++) {
      stallOf(60);
    }
    assertThat(reports).hasSize(1);

    clock.advance(Duration.ofSeconds(1));
    stallOf(60);
    assertThat(reports).hasSize(2);
    assertThat(reports.get(1).suppressedCount()).isEqualTo(3);

    clock.advance(Duration.ofSeconds(1));
    stallOf(60);
    assertThat(reports.get(2).suppressedCount()).isZero();
  }

  @Test
  void theLimitOnReportsIsEachShardsOwn() throws Exception {
    TurnMonitor otherMonitor = new TurnMonitor(5, BUDGET);
    StallDetector both = detector(List.of(monitor, otherMonitor));
    try (HangingShard other = new HangingShard(otherMonitor, clock)) {
      shard.hangIn(Phase.TASKS, null);
      other.hangIn(Phase.POLL, null);
      clock.advance(Duration.ofMillis(60));
      both.sample(clock.getAsLong());
      shard.letGo();
      other.letGo();
      both.sample(clock.getAsLong());
    }

    assertThat(reports).extracting(StallReport::shardIndex).containsExactly(2, 5);
    assertThat(reports).extracting(StallReport::phase).containsExactly(Phase.TASKS, Phase.POLL);
  }

  @Test
  void stallsThatWereOverBeforeAnyLookAreReportedWithoutAStack() throws Exception {
    for (int i = 0; i < 3; i++) {
      shard.hangIn(Phase.FLUSH, this);
      clock.advance(Duration.ofMillis(60));
      shard.letGo();
    }
    sample();

    StallReport report = onlyReport();
    assertThat(report.stack()).isEmpty();
    assertThat(report.phase()).isEqualTo(Phase.FLUSH);
    assertThat(report.what()).contains(getClass().getName());
    assertThat(report.suppressedCount()).isEqualTo(2);
  }

  @Test
  void theStackOfOneTurnIsNotShownWithAnother() throws Exception {
    shard.hangIn(Phase.TASKS, this);
    advanceAndSample(60);
    shard.letGo();
    // Two stalls end before the next look: the one it saw and one that it did not.
    shard.hangIn(Phase.FLUSH, null);
    clock.advance(Duration.ofMillis(70));
    shard.letGo();
    sample();

    StallReport report = onlyReport();
    assertThat(report.phase()).isEqualTo(Phase.FLUSH);
    assertThat(report.durationNanos()).isEqualTo(70_000_000);
    assertThat(report.stack()).isEmpty();
    assertThat(report.suppressedCount()).isEqualTo(1);
  }

  @Test
  void aStalledShardWhoseThreadHasLeftIsNotLookedInto() throws Exception {
    shard.hangIn(Phase.TASKS, null);
    monitor.detach();
    advanceAndSample(5_000);

    assertThat(reports).isEmpty();
  }

  @Test
  void itLooksEveryHalfBudgetAndExactlyWhenATurnGoesOver() throws Exception {
    assertThat(sample()).isEqualTo(25_000_000);
    shard.hangIn(Phase.POLL, null);
    assertThat(advanceAndSample(10)).isEqualTo(25_000_000);
    assertThat(advanceAndSample(25)).isEqualTo(15_000_001);
    clock.advanceNanos(15_000_001);
    assertThat(sample()).isEqualTo(25_000_000);
    assertThat(shard.letGo()).isTrue();
    sample();

    assertThat(onlyReport().stack()).isNotEmpty();
  }

  @Test
  void aListenerThatThrowsIsLoggedAndDoesNotKeepOtherShardsFromBeingWatched() throws Exception {
    TurnMonitor otherMonitor = new TurnMonitor(5, BUDGET);
    List<Integer> told = new ArrayList<>();
    StallDetector both =
        new StallDetector(
            List.of(monitor, otherMonitor),
            Duration.ofSeconds(1),
            clock,
            report -> {
              told.add(report.shardIndex());
              throw new IllegalStateException("not interested");
            });
    try (HangingShard other = new HangingShard(otherMonitor, clock);
        CapturedLog log = CapturedLog.of(StallDetector.class)) {
      shard.hangIn(Phase.TASKS, null);
      other.hangIn(Phase.TASKS, null);
      clock.advance(Duration.ofSeconds(2));
      both.sample(clock.getAsLong());

      assertThat(told).containsExactly(2, 5);
      assertThat(log.events())
          .extracting(event -> event.getThrowableProxy().getMessage())
          .containsExactly("not interested", "not interested");
    }
  }

  @Test
  void aNegativeReportIntervalIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new StallDetector(List.of(monitor), Duration.ofSeconds(-1), clock, reports::add))
        .withMessage("report interval is PT-1S, must not be negative");
  }

  private StallDetector detector(List<TurnMonitor> monitors) {
    return new StallDetector(monitors, StallDetector.DEFAULT_REPORT_INTERVAL, clock, reports::add);
  }

  private void stallOf(long millis) throws InterruptedException {
    shard.hangIn(Phase.TASKS, null);
    advanceAndSample(millis);
    shard.letGo();
    sample();
  }

  private long advanceAndSample(long millis) {
    clock.advance(Duration.ofMillis(millis));
    return sample();
  }

  private long sample() {
    return detector.sample(clock.getAsLong());
  }

  private StallReport onlyReport() {
    assertThat(reports).hasSize(1);
    return reports.get(0);
  }
}
