package io.penstock.shards.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.entry;

import io.penstock.shards.testing.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimerQueueTest {

  private static final int NO_LIMIT = Integer.MAX_VALUE;

  private final ManualClock clock = new ManualClock();
  private final Map<Timer, Throwable> failures = new LinkedHashMap<>();
  private final TimerQueue queue = new TimerQueue(failures::put);
  private final List<String> fired = new ArrayList<>();

  @Test
  void timersFireInDeadlineOrderAndEqualOnesInTheOrderOfScheduling() {
    schedule(timer("second a"), 20);
    schedule(timer("third"), 30);
    schedule(timer("first"), 10);
    schedule(timer("second b"), 20);

    clock.advanceNanos(30);

    assertThat(expire()).isEqualTo(4);
    assertThat(fired).containsExactly("first", "second a", "second b", "third");
  }

  @Test
  void nothingFiresBeforeItsDeadline() {
    schedule(timer("a"), 10);

    clock.advanceNanos(9);
    assertThat(expire()).isZero();
    clock.advanceNanos(1);
    assertThat(expire()).isEqualTo(1);
  }

  @Test
  void deadlinesBeyondTheWrapOfTheClockComeAfterThoseBeforeIt() {
    long nowNanos = Long.MAX_VALUE - 5;
    queue.schedule(timer("after the wrap"), nowNanos + 10);
    queue.schedule(timer("before the wrap"), nowNanos + 4);

    assertThat(queue.expire(nowNanos + 4, NO_LIMIT)).isEqualTo(1);
    assertThat(fired).containsExactly("before the wrap");
    assertThat(queue.nextDelayNanos(nowNanos + 4)).isEqualTo(6);
    assertThat(queue.expire(nowNanos + 10, NO_LIMIT)).isEqualTo(1);
  }

  @Test
  void schedulingAgainMovesTheTimerBothWays() {
    Timer moved = timer("moved");
    schedule(timer("fixed"), 20);

    schedule(moved, 10);
    schedule(moved, 30);
    assertThat(queue.size()).isEqualTo(2);
    assertThat(queue.nextDelayNanos(clock.getAsLong())).isEqualTo(20);
    schedule(moved, 5);
    assertThat(queue.nextDelayNanos(clock.getAsLong())).isEqualTo(5);

    clock.advanceNanos(100);
    expire();
    assertThat(fired).containsExactly("moved", "fixed");
  }

  @Test
  void aCancelledTimerDoesNotFireAndCanBeScheduledAgain() {
    Timer timer = timer("a");
    schedule(timer, 10);

    assertThat(queue.cancel(timer)).isTrue();
    assertThat(queue.cancel(timer)).isFalse();
    assertThat(timer.isScheduled()).isFalse();
    clock.advanceNanos(10);
    assertThat(expire()).isZero();

    schedule(timer, 10);
    clock.advanceNanos(10);
    assertThat(expire()).isEqualTo(1);
  }

  @Test
  void anEmptyQueueHasNoDeadline() {
    assertThat(queue.nextDeadlineNanos()).isEqualTo(TimerQueue.NEVER);
    assertThat(queue.nextDelayNanos(clock.getAsLong())).isEqualTo(TimerQueue.NEVER);
    assertThat(expire()).isZero();
  }

  @Test
  void theLimitLeavesTheRestDue() {
    for (int i = 0; i < 5; i++) {
      schedule(timer("t" + i), i);
    }
    clock.advanceNanos(10);

    assertThat(queue.expire(clock.getAsLong(), 2)).isEqualTo(2);
    assertThat(queue.nextDelayNanos(clock.getAsLong())).isZero();
    assertThat(queue.expire(clock.getAsLong(), 2)).isEqualTo(2);
    assertThat(queue.expire(clock.getAsLong(), 2)).isEqualTo(1);
    assertThat(fired).containsExactly("t0", "t1", "t2", "t3", "t4");
  }

  @Test
  void aTimerThatThrowsDoesNotStopTheOthers() {
    RuntimeException exception = new IllegalStateException("no");
    Error error = new AssertionError("no");
    Timer throwing = new Timer(() -> throwIt(exception));
    Timer failing = new Timer(() -> throwIt(error));
    schedule(throwing, 1);
    schedule(failing, 2);
    schedule(timer("after them"), 3);
    clock.advanceNanos(3);

    assertThat(expire()).isEqualTo(3);
    assertThat(fired).containsExactly("after them");
    assertThat(failures).containsExactly(entry(throwing, exception), entry(failing, error));
    schedule(throwing, 1);
    assertThat(throwing.isScheduled()).isTrue();
  }

  @Test
  void anObserverThatThrowsLeavesTheQueueUsable() {
    RuntimeException refusal = new IllegalStateException("not my job");
    TimerQueue strict =
        new TimerQueue(
            (timer, failure) -> {
              throw refusal;
            });
    strict.schedule(new Timer(() -> throwIt(new IllegalArgumentException("no"))), 1);
    strict.schedule(timer("next"), 2);

    assertThatIllegalStateException()
        .isThrownBy(() -> strict.expire(2, NO_LIMIT))
        .isSameAs(refusal);
    assertThat(strict.expire(2, NO_LIMIT)).isEqualTo(1);
    assertThat(fired).containsExactly("next");
  }

  @Test
  void theObserverHearsWhatIsAboutToRun() {
    List<String> heard = new ArrayList<>();
    TimerQueue observed =
        new TimerQueue(
            new TimerQueue.Observer() {
              @Override
              public void timerFailed(Timer timer, Throwable failure) {
                heard.add("failed " + failure.getMessage());
              }

              @Override
              public void timerFires(Timer timer) {
                heard.add("fires");
              }
            });
    observed.schedule(new Timer(() -> heard.add("runs")), 1);
    observed.schedule(new Timer(() -> throwIt(new IllegalStateException("boom"))), 2);

    observed.expire(2, NO_LIMIT);

    assertThat(heard).containsExactly("fires", "runs", "fires", "failed boom");
  }

  @ParameterizedTest
  @ValueSource(longs = {-1_000, 0})
  void aTimerThatRepeatsWithoutDelayRunsOnceAPassAndHoldsNobodyUp(long delayNanos) {
    long[] runs = new long[1];
    Timer[] repeating = new Timer[1];
    repeating[0] =
        new Timer(
            () -> {
              runs[0]++;
              queue.schedule(repeating[0], clock.getAsLong() + delayNanos);
            });
    schedule(repeating[0], 0);
    schedule(timer("other a"), 0);
    schedule(timer("other b"), 0);

    assertThat(expire()).isEqualTo(3);
    assertThat(runs[0]).isEqualTo(1);
    assertThat(fired).containsExactly("other a", "other b");
    assertThat(queue.nextDelayNanos(clock.getAsLong())).isZero();
    assertThat(expire()).isEqualTo(1);
    assertThat(runs[0]).isEqualTo(2);
  }

  @Test
  void aTimerMayCancelAndMoveOthersThatAreDueInTheSamePass() {
    Timer cancelled = timer("cancelled");
    Timer moved = timer("moved");
    schedule(
        new Timer(
            () -> {
              queue.cancel(cancelled);
              schedule(moved, 10);
            }),
        1);
    schedule(cancelled, 2);
    schedule(moved, 3);
    schedule(timer("kept"), 4);
    clock.advanceNanos(5);

    expire();
    assertThat(fired).containsExactly("kept");
    assertThat(queue.size()).isEqualTo(1);
    assertThat(queue.nextDelayNanos(clock.getAsLong())).isEqualTo(10);
  }

  @Test
  void aTimerThatCallsExpireIsRefused() {
    schedule(new Timer(() -> queue.expire(clock.getAsLong(), NO_LIMIT)), 0);

    assertThat(expire()).isEqualTo(1);
    assertThat(failures.values())
        .singleElement()
        .asInstanceOf(InstanceOfAssertFactories.THROWABLE)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("expire was called by a timer that it runs");
  }

  @Test
  void cancelAllEmptiesTheQueueBeforeItTellsAnybody() {
    Timer first = timer("a");
    Timer second = timer("b");
    schedule(first, 1);
    schedule(second, 2);
    List<Timer> told = new ArrayList<>();

    queue.cancelAll(
        timer -> {
          assertThat(timer.isScheduled()).isFalse();
          assertThat(timer.deadlineNanos()).isEqualTo(TimerQueue.NEVER);
          told.add(timer);
        });

    assertThat(told).containsExactlyInAnyOrder(first, second);
    assertThat(queue.size()).isZero();
    clock.advanceNanos(10);
    assertThat(expire()).isZero();
    schedule(first, 1);
    assertThat(queue.size()).isEqualTo(1);
  }

  @Test
  void aTimerOfAnotherQueueIsRefusedUntilItLeavesThere() {
    TimerQueue other = new TimerQueue(failures::put);
    Timer timer = timer("a");
    schedule(timer, 1);

    assertThatIllegalStateException()
        .isThrownBy(() -> other.schedule(timer, 1))
        .withMessageContaining("queue of another shard");
    assertThatIllegalStateException().isThrownBy(() -> other.cancel(timer));

    queue.cancel(timer);
    other.schedule(timer, 1);
    assertThat(other.size()).isEqualTo(1);
  }

  @Test
  void aTimerWithNothingToDoFailsWithItsName() {
    Timer idle = new Timer() {};
    schedule(idle, 0);

    expire();
    assertThat(failures.get(idle))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(idle.getClass().getName());
    assertThatIllegalArgumentException().isThrownBy(() -> new Timer(null));
  }

  @Test
  void aLimitBelowOneIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> queue.expire(0, 0))
        .withMessageContaining("is 0");
  }

  @Test
  void aTimerDescribesWhatItRuns() {
    assertThat(new Timer(new Named()).describe()).isEqualTo("timer reconnect to 7");
    Timer subclass = new Timer() {};
    assertThat(subclass.describe()).isEqualTo("timer " + subclass.getClass().getName());
  }

  @Test
  void aTimerForNeverIsTakenOutAndDoesNotHideTheOthers() {
    Timer timer = timer("a");
    schedule(timer, 5);
    schedule(timer("b"), 10);

    queue.schedule(timer, TimerQueue.NEVER);

    assertThat(timer.isScheduled()).isFalse();
    assertThat(queue.size()).isEqualTo(1);
    clock.advance(Duration.ofDays(365 * 70));
    assertThat(expire()).isEqualTo(1);
    assertThat(fired).containsExactly("b");
  }

  private void schedule(Timer timer, long delayNanos) {
    queue.schedule(timer, TimerQueue.deadlineAfter(clock.getAsLong(), delayNanos));
  }

  private int expire() {
    return queue.expire(clock.getAsLong(), NO_LIMIT);
  }

  private Timer timer(String name) {
    return new Timer(() -> fired.add(name));
  }

  private static void throwIt(RuntimeException failure) {
    throw failure;
  }

  private static void throwIt(Error failure) {
    throw failure;
  }

  private static final class Named implements Runnable, Described {
    @Override
    public void run() {}

    @Override
    public String describe() {
      return "reconnect to 7";
    }
  }
}
