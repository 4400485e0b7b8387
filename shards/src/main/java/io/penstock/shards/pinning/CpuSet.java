package io.penstock.shards.pinning;

import java.util.BitSet;
import java.util.stream.IntStream;

/** A set of CPU numbers. Immutable, for any thread. */
public final class CpuSet {
  /** The kernel's largest NR_CPUS is 8,192. */
  private static final int MAX_CPU = 8191;

  private final BitSet cpus;

  private CpuSet(BitSet cpus) {
    this.cpus = cpus;
  }

  public static CpuSet of(int... cpus) {
    BitSet set = new BitSet();
    for (int cpu : cpus) {
      if (cpu < 0 || cpu > MAX_CPU) {
        throw new IllegalArgumentException("CPU " + cpu + " is not between 0 and " + MAX_CPU);
      }
      set.set(cpu);
    }
    return new CpuSet(set);
  }

  public static CpuSet of(BitSet cpus) {
    return new CpuSet((BitSet) cpus.clone());
  }

  /** The CPUs 0 to {@code count - 1}. */
  public static CpuSet firstN(int count) {
    return of(IntStream.range(0, count).toArray());
  }

  /** Reads the kernel's list format, such as {@code 0-3,5}. The list may not be empty. */
  public static CpuSet parse(String list) {
    BitSet set = new BitSet();
    for (String item : list.strip().split(",", -1)) {
      String range = item.strip();
      int dash = range.indexOf('-');
      int first = cpu(dash < 0 ? range : range.substring(0, dash), list);
      int last = dash < 0 ? first : cpu(range.substring(dash + 1), list);
      if (last < first) {
        throw new IllegalArgumentException(
            "CPU list '" + list + "': range '" + range + "' runs backwards");
      }
      set.set(first, last + 1);
    }
    return new CpuSet(set);
  }

  public int size() {
    return cpus.cardinality();
  }

  public boolean isEmpty() {
    return cpus.isEmpty();
  }

  public boolean contains(int cpu) {
    return cpu >= 0 && cpus.get(cpu);
  }

  /** The CPU at this position, from 0, in ascending order. */
  public int nth(int position) {
    if (position < 0 || position >= size()) {
      throw new IndexOutOfBoundsException(
          "position " + position + " in the " + size() + " CPUs " + this);
    }
    int cpu = cpus.nextSetBit(0);
    for (int i = 0; i < position; i++) {
      cpu = cpus.nextSetBit(cpu + 1);
    }
    return cpu;
  }

  public CpuSet minus(CpuSet others) {
    BitSet rest = toBitSet();
    rest.andNot(others.cpus);
    return new CpuSet(rest);
  }

  public CpuSet intersect(CpuSet others) {
    BitSet common = toBitSet();
    common.and(others.cpus);
    return new CpuSet(common);
  }

  /** Ascending. */
  public IntStream stream() {
    return cpus.stream();
  }

  public BitSet toBitSet() {
    return (BitSet) cpus.clone();
  }

  /** The kernel's list format; {@code none} if empty. */
  public String format() {
    if (cpus.isEmpty()) {
      return "none";
    }
    StringBuilder list = new StringBuilder();
    for (int first = cpus.nextSetBit(0); first >= 0; ) {
      int last = cpus.nextClearBit(first) - 1;
      if (list.length() > 0) {
        list.append(',');
      }
      list.append(first);
      if (last > first) {
        list.append('-').append(last);
      }
      first = cpus.nextSetBit(last + 1);
    }
    return list.toString();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CpuSet set && cpus.equals(set.cpus);
  }

  @Override
  public int hashCode() {
    return cpus.hashCode();
  }

  @Override
  public String toString() {
    return format();
  }

  private static int cpu(String digits, String list) {
    String number = digits.strip();
    if (number.isEmpty() || !number.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw new IllegalArgumentException(
          "CPU list '" + list + "': '" + number + "' is not a CPU number (expected e.g. 0-3,5)");
    }
    if (number.length() > 9 || Integer.parseInt(number) > MAX_CPU) {
      throw new IllegalArgumentException(
          "CPU list '" + list + "': CPU " + number + " is above the largest, " + MAX_CPU);
    }
    return Integer.parseInt(number);
  }
}
