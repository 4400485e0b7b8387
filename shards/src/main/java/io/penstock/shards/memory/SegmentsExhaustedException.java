package io.penstock.shards.memory;

/** A pool's budget had no segment left. */
public final class SegmentsExhaustedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SegmentsExhaustedException(int leastBytes, Object owner) {
    super("no segment of " + leastBytes + " bytes left in the pool's budget for " + owner);
  }
}
