package io.penstock.shards.metrics;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.EnumMap;

/**
 * The counters of one shard.
 *
 * <p>Thread: the shard's alone adds and sets; any may read.
 *
 * <p>Values are written opaque, which costs the same instruction as a plain write. It suffices:
 * there is one writer, so nothing is lost between its read and its write; a value is never torn, is
 * seen sooner or later, and is never seen to go back. What opaque does not give is an order between
 * two counters, and no reader may conclude from one counter about another or about other memory.
 */
public final class ShardCounters {

  private static final VarHandle VALUES = MethodHandles.arrayElementVarHandle(long[].class);

  /**
   * Unused longs at both ends, 128 bytes each: a line and the one that is fetched along with it. So
   * the counters of two shards never share one, wherever the heap puts them.
   */
  private static final int PADDING = 16;

  private static final Counter[] COUNTERS = Counter.values();

  private final long[] values = new long[PADDING + COUNTERS.length + PADDING];

  public void increment(Counter counter) {
    add(counter, 1);
  }

  public void add(Counter counter, long amount) {
    assert amount >= 0 || counter.isGauge() : counter + " only grows, got " + amount;
    int slot = slot(counter);
    VALUES.setOpaque(values, slot, values[slot] + amount);
  }

  /** Gauges only: replaces the value. */
  public void set(Counter gauge, long value) {
    assert gauge.isGauge() : gauge + " is no gauge, it can only be added to";
    VALUES.setOpaque(values, slot(gauge), value);
  }

  public long get(Counter counter) {
    return (long) VALUES.getOpaque(values, slot(counter));
  }

  /** All counters, read one after the other while the shard goes on counting. */
  public CounterSnapshot snapshot() {
    EnumMap<Counter, Long> copy = new EnumMap<>(Counter.class);
    for (Counter counter : COUNTERS) {
      copy.put(counter, get(counter));
    }
    return new CounterSnapshot(copy);
  }

  // The number is the counter's place in this array, and nobody else ever sees it.
  @SuppressWarnings("EnumOrdinal")
  private static int slot(Counter counter) {
    return PADDING + counter.ordinal();
  }
}
