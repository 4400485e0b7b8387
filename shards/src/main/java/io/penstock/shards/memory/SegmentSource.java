package io.penstock.shards.memory;

/** Leases segments. The implementation says to which threads. */
public interface SegmentSource {

  /**
   * Leases a segment of at least that many bytes, empty, to an owner named for leak reports.
   *
   * @return null when the budget is used up; the caller stops and tries again later
   */
  Segment tryLease(int leastBytes, Object owner);

  /**
   * As {@link #tryLease}, for callers that cannot wait.
   *
   * @throws SegmentsExhaustedException when the budget is used up
   */
  default Segment lease(int leastBytes, Object owner) {
    Segment segment = tryLease(leastBytes, owner);
    if (segment == null) {
      throw new SegmentsExhaustedException(leastBytes, owner);
    }
    return segment;
  }
}
