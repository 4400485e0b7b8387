package io.penstock.shards.memory;

import io.penstock.shards.core.AnyThread;
import java.util.concurrent.locks.ReentrantLock;

/** A pool for threads that are no shard. A lock guards it: it is not on a shard's path. */
@AnyThread
public final class SharedSegmentPool implements SegmentSource, SegmentHome {
  // Guards the slab and the count.
  private final ReentrantLock lock = new ReentrantLock();
  private final Slab slab;
  private int leasedCount;

  public SharedSegmentPool(MemoryAddress addresses, long budgetBytes) {
    this.slab = new Slab(this, addresses, budgetBytes, () -> {});
  }

  @Override
  public Segment tryLease(int leastBytes, Object owner) {
    lock.lock();
    try {
      Segment segment = slab.take(leastBytes);
      if (segment != null) {
        leasedCount++;
        segment.markLeased(owner, 0);
      }
      return segment;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void giveBack(Segment segment) {
    lock.lock();
    try {
      segment.markFree();
      slab.put(segment);
      leasedCount--;
    } finally {
      lock.unlock();
    }
  }

  /** Segments that are out. */
  public int leasedCount() {
    lock.lock();
    try {
      return leasedCount;
    } finally {
      lock.unlock();
    }
  }
}
