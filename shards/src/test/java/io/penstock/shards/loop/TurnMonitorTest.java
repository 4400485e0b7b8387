package io.penstock.shards.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.penstock.shards.testing.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TurnMonitorTest {

  private final ManualClock clock = new ManualClock();
  private final TurnMonitor monitor = new TurnMonitor(3, Duration.ofMillis(50));

  @Test
  void aTurnWithinItsBudgetIsNoStall() {
    assertThat(turnOf(Duration.ZERO)).isFalse();
    assertThat(turnOf(Duration.ofMillis(50))).isFalse();
    assertThat(monitor.lastStall()).isNull();
  }

  @Test
  void aTurnOverItsBudgetIsAStallAndLeavesWhatItDidLast() {
    monitor.turnStarted(clock.getAsLong());
    monitor.phase(Phase.TASKS);
    monitor.running((Described) () -> "task 7");
    clock.advance(Duration.ofMillis(51));

    assertThat(monitor.turnEnded(clock.getAsLong())).isTrue();
    assertThat(monitor.lastStall())
        .isEqualTo(new EndedStall(1, 1, 51_000_000, Phase.TASKS, "task 7"));
  }

  @Test
  void timeBetweenTurnsBelongsToNone() {
    turnOf(Duration.ofMillis(1));
    clock.advance(Duration.ofDays(1));

    assertThat(turnOf(Duration.ofMillis(1))).isFalse();
  }

  @Test
  void aTurnBeginsWithTheInboxAndEndsIdle() {
    assertThat(monitor.phase()).isEqualTo(Phase.IDLE);
    assertThat(monitor.inTurn()).isFalse();
    monitor.turnStarted(clock.getAsLong());
    assertThat(monitor.phase()).isEqualTo(Phase.INBOX);
    assertThat(monitor.inTurn()).isTrue();
    monitor.turnEnded(clock.getAsLong());
    assertThat(monitor.phase()).isEqualTo(Phase.IDLE);
    assertThat(monitor.inTurn()).isFalse();
  }

  @Test
  void whatRanIsForgottenWithItsPhaseAndWithTheTurn() {
    monitor.turnStarted(clock.getAsLong());
    monitor.running("a");
    assertThat(monitor.running()).isEqualTo("java.lang.String");
    monitor.phase(Phase.FLUSH);
    assertThat(monitor.running()).isNull();
    monitor.running("b");
    monitor.turnEnded(clock.getAsLong());
    assertThat(monitor.running()).isNull();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "IDLE")
  void eachPhaseOfATurnIsShown(Phase phase) {
    monitor.turnStarted(clock.getAsLong());
    monitor.phase(phase);
    assertThat(monitor.phase()).isEqualTo(phase);
  }

  @Test
  void stepsInTheWrongOrderFailWithTheShardAndTheTurn() {
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> monitor.turnEnded(clock.getAsLong()))
        .withMessage("shard 3 ends a turn outside of one");
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> monitor.phase(Phase.POLL))
        .withMessage("shard 3 enters POLL outside a turn");
    monitor.turnStarted(clock.getAsLong());
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> monitor.turnStarted(clock.getAsLong()))
        .withMessage("shard 3 starts a turn inside turn 1");
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> monitor.phase(Phase.IDLE))
        .withMessage("shard 3 enters IDLE inside a turn");
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT-1S"})
  void aBudgetOfNothingIsRefused(Duration budget) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new TurnMonitor(3, budget))
        .withMessage("budget of a turn of shard 3 is " + budget + ", must be more than 0");
  }

  @Test
  void withABudgetForEverNothingIsAStall() {
    TurnMonitor patient = new TurnMonitor(0, Duration.ofSeconds(Long.MAX_VALUE));
    patient.turnStarted(clock.getAsLong());
    clock.advance(Duration.ofDays(10_000));
    assertThat(patient.turnEnded(clock.getAsLong())).isFalse();
  }

  @Test
  void aDescriptionThatThrowsIsReplacedByTheClass() {
    Described broken =
        () -> {
          throw new IllegalStateException("half built");
        };
    assertThat(Described.of(broken))
        .startsWith(broken.getClass().getName())
        .endsWith("(its description failed: java.lang.IllegalStateException: half built)");
  }

  private boolean turnOf(Duration duration) {
    monitor.turnStarted(clock.getAsLong());
    clock.advance(duration);
    return monitor.turnEnded(clock.getAsLong());
  }
}
