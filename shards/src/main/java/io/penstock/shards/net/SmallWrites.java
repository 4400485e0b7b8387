package io.penstock.shards.net;

import io.penstock.shards.core.OnShard;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.memory.SegmentPool;
import io.penstock.shards.memory.SegmentQueue;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.metrics.ShardCounters;

/**
 * Puts segments at the end of a queue so that small ones which follow each other are one by the
 * time they leave: they are copied behind each other and given back at once.
 *
 * <p>A piece of a gather costs the kernel more than the copy of a few bytes; from some length on it
 * is the other way round. A small segment alone, and one before a large one, goes by reference.
 */
@OnShard
final class SmallWrites {
  /** What small segments are copied into. Ten of them to a gather are no burden. */
  private static final int RUN_BYTES = 1 << 12;

  private final SegmentPool pool;
  private final ShardCounters counters;
  private final int copyBelowBytes;

  /**
   * Copies nothing and allocates nothing beyond the pool.
   *
   * @param copyBelowBytes length of a segment from which it goes by reference; 0 for always
   */
  SmallWrites(SegmentPool pool, ShardCounters counters, int copyBelowBytes) {
    this.pool = pool;
    this.counters = counters;
    this.copyBelowBytes = copyBelowBytes;
  }

  /**
   * Takes the segment over for the queue, whose bytes grow by its length.
   *
   * @param lastIsFree whether there is a last segment and the kernel does not hold it
   */
  void add(SegmentQueue queue, Segment segment, boolean lastIsFree, Object owner) {
    int lengthBytes = segment.length();
    if (lengthBytes >= copyBelowBytes || !lastIsFree) {
      queue.add(segment);
      return;
    }
    Segment last = queue.get(queue.size() - 1);
    if (last.room() >= lengthBytes) {
      queue.appendToLast(segment);
      copied(segment);
      return;
    }
    if (last.length() < copyBelowBytes) {
      Segment run = pool.tryLease(Math.max(RUN_BYTES, last.length() + lengthBytes), owner);
      if (run != null) {
        run.append(last);
        copied(queue.replaceLast(run));
        queue.appendToLast(segment);
        copied(segment);
        return;
      }
    }
    queue.add(segment);
  }

  private void copied(Segment segment) {
    segment.release();
    counters.increment(Counter.SEGMENTS_COPIED);
  }
}
