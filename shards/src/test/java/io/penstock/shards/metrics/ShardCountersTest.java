package io.penstock.shards.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ShardCountersTest {

  private final ShardCounters counters = new ShardCounters();

  @ParameterizedTest
  @EnumSource
  void eachCounterCountsForItselfAlone(Counter counted) {
    counters.increment(counted);
    counters.add(counted, 41);

    for (Counter counter : Counter.values()) {
      assertThat(counters.get(counter)).as(counter.name()).isEqualTo(counter == counted ? 42 : 0);
    }
  }

  @Test
  void gaugesRiseAndFallAndCanBeSet() {
    counters.add(Counter.OPEN, 3);
    counters.add(Counter.OPEN, -1);
    counters.set(Counter.SEGMENTS_OUT, 7);
    counters.set(Counter.SEGMENTS_OUT, 5);

    assertThat(counters.get(Counter.OPEN)).isEqualTo(2);
    assertThat(counters.get(Counter.SEGMENTS_OUT)).isEqualTo(5);
  }

  @Test
  void aCounterThatOnlyGrowsCannotBeReducedOrSet() {
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> counters.add(Counter.TURNS, -1))
        .withMessage("TURNS only grows, got -1");
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> counters.set(Counter.TURNS, 1))
        .withMessage("TURNS is no gauge, it can only be added to");
  }

  @Test
  void otherThreadsSeeEveryCountInTheEndAndNoneGoBack() throws InterruptedException {
    long count = 2_000_000;
    Thread shard =
        new Thread(
            () -> {
              for (long i = 0; i < count; i++) {
                counters.increment(Counter.TURNS);
              }
            });
    shard.start();
    // No join here: this ends only because the values become visible on their own.
    long last = 0;
    while (last < count) {
      long now = counters.get(Counter.TURNS);
      assertThat(now).isGreaterThanOrEqualTo(last);
      last = now;
    }
    shard.join();
    assertThat(counters.get(Counter.TURNS)).isEqualTo(count);
  }

  @Test
  void aSnapshotStaysAsItWas() {
    counters.add(Counter.SENT_BYTES, 10);
    CounterSnapshot snapshot = counters.snapshot();
    counters.add(Counter.SENT_BYTES, 1);

    assertThat(snapshot.get(Counter.SENT_BYTES)).isEqualTo(10);
    assertThatThrownBy(() -> snapshot.values().put(Counter.SENT_BYTES, 0L))
        .isInstanceOf(UnsupportedOperationException.class);

    Map<Counter, Long> source = new EnumMap<>(Counter.class);
    source.put(Counter.SENDS, 1L);
    CounterSnapshot copied = new CounterSnapshot(source);
    source.put(Counter.SENDS, 2L);
    assertThat(copied.get(Counter.SENDS)).isEqualTo(1);
    assertThat(copied.get(Counter.TURNS)).isZero();
  }

  @Test
  void theDifferenceOfTwoSnapshotsIsWhatWasCountedBetweenThemButGaugesKeepTheirValue() {
    counters.add(Counter.RECEIVES, 10);
    counters.add(Counter.OPEN, 4);
    CounterSnapshot earlier = counters.snapshot();
    counters.add(Counter.RECEIVES, 5);
    counters.add(Counter.OPEN, -1);

    CounterSnapshot between = counters.snapshot().since(earlier);

    assertThat(between.get(Counter.RECEIVES)).isEqualTo(5);
    assertThat(between.get(Counter.OPEN)).isEqualTo(3);
    assertThat(counters.snapshot().since(CounterSnapshot.ZERO)).isEqualTo(counters.snapshot());
  }

  @Test
  void snapshotsOfTwoShardsAddUp() {
    ShardCounters other = new ShardCounters();
    counters.add(Counter.RECEIVES, 1);
    other.add(Counter.RECEIVES, 2);
    counters.set(Counter.OPEN, 3);
    other.set(Counter.OPEN, 4);

    CounterSnapshot sum = counters.snapshot().plus(other.snapshot());

    assertThat(sum.get(Counter.RECEIVES)).isEqualTo(3);
    assertThat(sum.get(Counter.OPEN)).isEqualTo(7);
  }
}
