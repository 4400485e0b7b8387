package io.penstock.shards.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Report;
import net.jqwik.api.Reporting;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;

/**
 * The queue against a {@link PriorityQueue} of plain offsets that never wrap. On failure jqwik
 * prints the seed and the shrunk steps.
 */
class TimerQueuePropertyTest {

  private static final int TIMER_COUNT = 30;

  private enum Kind {
    SCHEDULE,
    CANCEL,
    EXPIRE,
    REPEAT_FROM_NOW_ON
  }

  private record Step(Kind kind, int timer, long offsetNanos, int limit) {}

  @Property(tries = 3_000, shrinking = ShrinkingMode.BOUNDED, edgeCases = EdgeCasesMode.NONE)
  @Report(Reporting.FALSIFIED)
  void behavesLikeASortedListWhereverTheClockStands(
      @ForAll("epochs") long epochNanos, @ForAll("steps") List<Step> steps) {
    Run run = new Run(epochNanos);
    for (Step step : steps) {
      run.apply(step);
    }
    run.drain();
  }

  @Provide
  Arbitrary<Long> epochs() {
    return Arbitraries.oneOf(
        Arbitraries.longs(),
        Arbitraries.longs().between(Long.MAX_VALUE - 200, Long.MAX_VALUE),
        Arbitraries.longs().between(-200, 200));
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Long> offsets =
        Arbitraries.frequencyOf(
            Tuple.of(9, Arbitraries.longs().between(-5, 40)),
            Tuple.of(1, Arbitraries.longs().between(0, TimerQueue.MAX_DELAY_NANOS / 1_000)));
    return Combinators.combine(
            kinds(),
            Arbitraries.integers().between(0, TIMER_COUNT - 1),
            offsets,
            Arbitraries.integers().between(1, 5))
        .as(Step::new)
        .list()
        .ofMaxSize(120);
  }

  /** Schedules more than it ends, so that the heap grows three levels deep. */
  private static Arbitrary<Kind> kinds() {
    return Arbitraries.frequency(
        Tuple.of(6, Kind.SCHEDULE),
        Tuple.of(2, Kind.CANCEL),
        Tuple.of(1, Kind.EXPIRE),
        Tuple.of(1, Kind.REPEAT_FROM_NOW_ON));
  }

  /** One timer in the model. All numbers count from the epoch. */
  private record Entry(int timer, long deadline, long sequence) {}

  private static final class Run {
    private final long epochNanos;
    private final TimerQueue queue;
    private final Timer[] timers = new Timer[TIMER_COUNT];
    private final Long[] repeatOffsets = new Long[TIMER_COUNT];
    private final List<Integer> fired = new ArrayList<>();

    private final PriorityQueue<Entry> model =
        new PriorityQueue<>(
            Comparator.comparingLong(Entry::deadline).thenComparingLong(Entry::sequence));
    private long modelSequence;
    private long now;

    Run(long epochNanos) {
      this.epochNanos = epochNanos;
      this.queue =
          new TimerQueue(
              (timer, failure) -> {
                throw new AssertionError("a timer failed", failure);
              });
      for (int i = 0; i < TIMER_COUNT; i++) {
        int index = i;
        timers[i] = new Timer(() -> onFired(index));
      }
    }

    private void onFired(int index) {
      fired.add(index);
      Long repeatOffset = repeatOffsets[index];
      if (repeatOffset != null) {
        queue.schedule(timers[index], epochNanos + allowed(now + repeatOffset));
      }
    }

    void apply(Step step) {
      int index = step.timer();
      switch (step.kind()) {
        case SCHEDULE -> {
          long deadline = allowed(now + step.offsetNanos());
          queue.schedule(timers[index], epochNanos + deadline);
          removeFromModel(index);
          model.add(new Entry(index, deadline, modelSequence++));
        }
        case CANCEL -> assertThat(queue.cancel(timers[index])).isEqualTo(removeFromModel(index));
        case REPEAT_FROM_NOW_ON -> repeatOffsets[index] = step.offsetNanos();
        case EXPIRE -> {
          now += Math.max(0, step.offsetNanos());
          expire(step.limit());
        }
      }
      compare();
    }

    void drain() {
      Arrays.fill(repeatOffsets, null);
      now += TimerQueue.MAX_DELAY_NANOS / 10;
      expire(Integer.MAX_VALUE);
      compare();
      assertThat(queue.size()).isZero();
    }

    private void expire(int limit) {
      fired.clear();
      int count = queue.expire(epochNanos + now, limit);
      List<Integer> expected = expireModel(limit);
      assertThat(fired).isEqualTo(expected);
      assertThat(count).isEqualTo(expected.size());
    }

    /** What repeats is set aside and comes back after the pass: no pass runs a timer twice. */
    private List<Integer> expireModel(int limit) {
      List<Integer> expected = new ArrayList<>();
      List<Entry> repeated = new ArrayList<>();
      while (expected.size() < limit && !model.isEmpty() && model.peek().deadline() <= now) {
        int index = model.remove().timer();
        expected.add(index);
        Long repeatOffset = repeatOffsets[index];
        if (repeatOffset != null) {
          repeated.add(
              new Entry(index, allowed(Math.max(now, now + repeatOffset)), modelSequence++));
        }
      }
      model.addAll(repeated);
      return expected;
    }

    /** No deadline may have the value that means never. */
    private long allowed(long deadline) {
      return epochNanos + deadline == TimerQueue.NEVER ? deadline + 1 : deadline;
    }

    private boolean removeFromModel(int index) {
      return model.removeIf(entry -> entry.timer() == index);
    }

    private void compare() {
      assertThat(queue.size()).isEqualTo(model.size());
      Entry first = model.peek();
      if (first == null) {
        assertThat(queue.nextDeadlineNanos()).isEqualTo(TimerQueue.NEVER);
      } else {
        assertThat(queue.nextDeadlineNanos()).isEqualTo(epochNanos + first.deadline());
      }
      for (Entry entry : model) {
        assertThat(timers[entry.timer()].deadlineNanos()).isEqualTo(epochNanos + entry.deadline());
      }
    }
  }
}
