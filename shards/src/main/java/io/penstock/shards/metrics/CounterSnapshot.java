package io.penstock.shards.metrics;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongBinaryOperator;

/** Counters of one shard, or of several added up, as they were at some moment. Immutable. */
public record CounterSnapshot(Map<Counter, Long> values) {

  private static final Counter[] COUNTERS = Counter.values();

  /** What a shard that has not begun shows. */
  public static final CounterSnapshot ZERO = new CounterSnapshot(Map.of());

  /** Counters that the map leaves out are 0. */
  public CounterSnapshot {
    EnumMap<Counter, Long> copy = new EnumMap<>(Counter.class);
    for (Counter counter : COUNTERS) {
      copy.put(counter, values.getOrDefault(counter, 0L));
    }
    values = Collections.unmodifiableMap(copy);
  }

  public long get(Counter counter) {
    return values.get(counter);
  }

  /**
   * What was counted from the earlier snapshot to this one. Gauges keep the value they have here.
   */
  public CounterSnapshot since(CounterSnapshot earlier) {
    return combine(earlier, (now, before) -> now - before, (now, before) -> now);
  }

  /** The sum of both, gauges too: two shards seen as one. */
  public CounterSnapshot plus(CounterSnapshot other) {
    return combine(other, Long::sum, Long::sum);
  }

  private CounterSnapshot combine(
      CounterSnapshot other, LongBinaryOperator ofCounts, LongBinaryOperator ofGauges) {
    EnumMap<Counter, Long> combined = new EnumMap<>(Counter.class);
    for (Counter counter : COUNTERS) {
      LongBinaryOperator operator = counter.isGauge() ? ofGauges : ofCounts;
      combined.put(counter, operator.applyAsLong(get(counter), other.get(counter)));
    }
    return new CounterSnapshot(combined);
  }
}
