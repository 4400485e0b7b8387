package io.penstock.examples.smoke.count;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The counts of one lane: a shard, or a worker of the control.
 *
 * <p>Thread: the lane's alone adds; any may read. Values are written opaque, which is enough for
 * one writer and costs no more than a plain write.
 */
public final class Tally {
  private static final VarHandle VALUES = MethodHandles.arrayElementVarHandle(long[].class);

  /** Unused longs at both ends, so that two lanes never share a cache line or its neighbour. */
  private static final int PADDING = 16;

  private static final Count[] COUNTS = Count.values();

  private final long[] values = new long[PADDING + COUNTS.length + PADDING];
  private final RoundTripTimes times = new RoundTripTimes();

  public void increment(Count count) {
    add(count, 1);
  }

  public void add(Count count, long amount) {
    int slot = slot(count);
    VALUES.setOpaque(values, slot, values[slot] + amount);
  }

  public long get(Count count) {
    return (long) VALUES.getOpaque(values, slot(count));
  }

  /** The times of the lane's round trips. */
  public RoundTripTimes times() {
    return times;
  }

  // The number is the count's place in this array, and nobody else ever sees it.
  @SuppressWarnings("EnumOrdinal")
  private static int slot(Count count) {
    return PADDING + count.ordinal();
  }
}
