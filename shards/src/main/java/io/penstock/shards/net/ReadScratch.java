package io.penstock.shards.net;

import io.penstock.shards.core.OnShard;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.memory.SegmentPool;

/**
 * The one large segment that a shard receives into, so that an idle connection holds no memory.
 *
 * <p>What came is handed out in a segment of its size when it is small; when it is large the whole
 * segment is handed out, without a copy, and the next one is leased. A pool leases last in, first
 * out: while connections stream, the same cached memory is used again and again.
 */
@OnShard
final class ReadScratch {
  /** 256 KiB a call is what bandwidth needs here (docs/measurements.md). */
  static final int CAPACITY_BYTES = 1 << 18;

  /** From here on the copy costs more than the room wasted at the segment's end. */
  private static final int HAND_OUT_WHOLE_BYTES = 1 << 14;

  /** From here on at most three quarters of the segment are wasted, as in any segment. */
  private static final int FILLS_WHOLE_BYTES = (1 << 16) + 1;

  private final SegmentPool pool;
  private Segment scratch;

  ReadScratch(SegmentPool pool) {
    this.pool = pool;
  }

  /**
   * The empty scratch, to be filled at once and then taken; smaller than usual where the pool has
   * only smaller segments left, null when it has none.
   */
  Segment borrow() {
    if (scratch == null) {
      scratch = pool.tryLeaseLargest(CAPACITY_BYTES, this);
    }
    return scratch;
  }

  /** What was received into the scratch, passed to that owner. */
  Segment take(Object owner) {
    Segment filled = scratch;
    // Whoever keeps what was received holds a pool up, which is worth a longer copy.
    int wholeBytes = pool.isScarce() ? FILLS_WHOLE_BYTES : HAND_OUT_WHOLE_BYTES;
    if (filled.length() < wholeBytes) {
      Segment copy = pool.tryLease(filled.length(), owner);
      if (copy != null) {
        copy.append(filled);
        discard();
        return copy;
      }
    }
    scratch = null;
    return filled.passTo(owner);
  }

  /** Forgets what was received. A scratch of less than the usual size is no more than a stopgap. */
  void discard() {
    if (scratch.capacity() < CAPACITY_BYTES) {
      close();
    } else {
      scratch.range(0, 0);
    }
  }

  void close() {
    if (scratch != null) {
      scratch.release();
      scratch = null;
    }
  }

  @Override
  public String toString() {
    return "read scratch";
  }
}
