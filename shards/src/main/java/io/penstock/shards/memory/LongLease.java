package io.penstock.shards.memory;

/**
 * Segments that an owner has held for long. One lease in {@link #SAMPLED_EVERY} is looked at, so
 * that an owner may hold many more.
 *
 * @param segments how many of those looked at
 * @param bytes what they take of the pool
 * @param ageNanos how long the oldest of them has been out
 */
public record LongLease(Object owner, int segments, long bytes, long ageNanos) {
  public static final int SAMPLED_EVERY = LeaseSamples.EVERY;

  LongLease plus(long moreBytes, long otherAgeNanos) {
    return new LongLease(owner, segments + 1, bytes + moreBytes, Math.max(ageNanos, otherAgeNanos));
  }

  /** One line for people. */
  public String describe() {
    return owner
        + " has held "
        + segments
        + " segment"
        + (segments == 1 ? "" : "s")
        + " of "
        + bytes
        + " bytes together for "
        + ageNanos / 1_000_000_000
        + " s (one lease in "
        + SAMPLED_EVERY
        + " is looked at)";
  }
}
