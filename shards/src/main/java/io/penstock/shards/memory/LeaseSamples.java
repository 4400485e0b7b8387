package io.penstock.shards.memory;

import java.util.ArrayList;
import java.util.List;

/**
 * Watches one lease in many, so that segments which are out for long can be named by their owner in
 * production, too. Confined as its pool is; allocates only for what it finds.
 */
final class LeaseSamples {
  /** One in so many is watched; a leak that goes on is among them soon. */
  static final int EVERY = 64;

  /** Watched at a time. */
  private static final int PLACES = 256;

  /** Places looked at for a new sample; where all are taken by leases that go on, it is let go. */
  private static final int TRIES = 8;

  private final Segment[] segments = new Segment[PLACES];
  private final int[] numbers = new int[PLACES];
  private final long[] sinceNanos = new long[PLACES];
  private final boolean[] told = new boolean[PLACES];
  private int untilNext = EVERY;
  private int place;

  /** True if this lease is to be watched. */
  boolean isNext() {
    if (--untilNext > 0) {
      return false;
    }
    untilNext = EVERY;
    return true;
  }

  void watch(Segment segment, long nowNanos) {
    for (int i = 0; i < TRIES; i++) {
      place = (place + 1) % PLACES;
      if (!isOut(place)) {
        segments[place] = segment;
        numbers[place] = segment.leaseNumber();
        sinceNanos[place] = nowNanos;
        told[place] = false;
        return;
      }
    }
  }

  private boolean isOut(int at) {
    Segment segment = segments[at];
    return segment != null && segment.isOut(numbers[at]);
  }

  /** True if a lease that is watched goes on and was not told of. */
  boolean isWatching() {
    for (int i = 0; i < PLACES; i++) {
      if (isOut(i) && !told[i]) {
        return true;
      }
    }
    return false;
  }

  /** Those that have been out for that long, by owner; each is told of once. */
  List<LongLease> takeLong(long ageNanos, long nowNanos) {
    List<LongLease> found = new ArrayList<>();
    for (int i = 0; i < PLACES; i++) {
      if (isOut(i) && !told[i] && nowNanos - sinceNanos[i] >= ageNanos) {
        told[i] = true;
        add(found, segments[i], nowNanos - sinceNanos[i]);
      }
    }
    return found;
  }

  private static void add(List<LongLease> found, Segment segment, long ageNanos) {
    for (int i = 0; i < found.size(); i++) {
      LongLease other = found.get(i);
      if (other.owner() == segment.owner()) {
        found.set(i, other.plus(segment.capacity(), ageNanos));
        return;
      }
    }
    found.add(new LongLease(segment.owner(), 1, segment.capacity(), ageNanos));
  }
}
