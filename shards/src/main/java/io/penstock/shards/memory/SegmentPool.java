package io.penstock.shards.memory;

import io.penstock.shards.core.AnyThread;
import io.penstock.shards.core.OnShard;
import java.util.Queue;
import java.util.function.LongSupplier;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;

/**
 * A shard's own pool. Leased on the shard without a lock or an atomic; released on any thread.
 *
 * <p>What other threads release waits in a queue until {@link #takeReturns()}, which the shard
 * calls each turn and when it finds the pool empty.
 */
@OnShard
public final class SegmentPool implements SegmentSource, SegmentHome {
  private static final int RETURNS_CHUNK = 256;

  private final Slab slab;
  private final LongSupplier nanoClock;
  private final Runnable wakeUp;
  // Many releasing threads, one shard. The atomic kind also runs where Unsafe is denied.
  private final Queue<Segment> returns = new MpscUnboundedAtomicArrayQueue<>(RETURNS_CHUNK);
  // Written once by the shard before it leases, read by releasing threads: a stale null only makes
  // a release travel through the queue, which is right for every thread.
  private Thread shardThread;
  // Volatile: set by the shard before it sleeps on an empty pool, read by threads that release.
  private volatile boolean starved;
  // The least that was asked for in vain since then.
  private int starvedBytes;
  private int leasedCount;

  /**
   * A pool of at most that many bytes.
   *
   * @param wakeUp wakes the shard; called by a releasing thread after the pool was found empty
   */
  public SegmentPool(
      MemoryAddress addresses, long budgetBytes, LongSupplier nanoClock, Runnable wakeUp) {
    if (budgetBytes < Slab.LARGEST_CLASS_BYTES) {
      throw new IllegalArgumentException(
          "a segment pool needs at least "
              + Slab.LARGEST_CLASS_BYTES
              + " bytes, was given "
              + budgetBytes);
    }
    this.slab = new Slab(this, addresses, budgetBytes);
    this.nanoClock = nanoClock;
    this.wakeUp = wakeUp;
  }

  /** Makes the calling thread the shard's. */
  public void confineToCurrentThread() {
    shardThread = Thread.currentThread();
  }

  @Override
  public Segment tryLease(int leastBytes, Object owner) {
    assert shardThread == Thread.currentThread() : "leased on " + Thread.currentThread();
    Segment segment = slab.take(leastBytes);
    while (segment == null && takeReturnsOrStarve(leastBytes)) {
      segment = slab.take(leastBytes);
    }
    return leased(segment, owner);
  }

  /**
   * Leases the largest segment there is, of at most that many bytes, for who takes what it gets.
   *
   * @return null when the budget is used up
   */
  public Segment tryLeaseLargest(int mostBytes, Object owner) {
    assert shardThread == Thread.currentThread() : "leased on " + Thread.currentThread();
    Segment segment = slab.takeLargest(mostBytes);
    while (segment == null && takeReturnsOrStarve(1)) {
      segment = slab.takeLargest(mostBytes);
    }
    return leased(segment, owner);
  }

  /** True if something came back; else who brings the next wakes the shard. */
  private boolean takeReturnsOrStarve(int leastBytes) {
    if (takeReturns() > 0) {
      return true;
    }
    starvedBytes = starved ? Math.min(starvedBytes, leastBytes) : leastBytes;
    starved = true;
    return takeReturns() > 0;
  }

  private Segment leased(Segment segment, Object owner) {
    if (segment != null) {
      leasedCount++;
      segment.markLeased(owner, Segment.STRICT ? nanoClock.getAsLong() : 0);
    }
    return segment;
  }

  /** Takes in what other threads released; returns how many. */
  public int takeReturns() {
    int taken = 0;
    for (Segment segment = returns.poll(); segment != null; segment = returns.poll()) {
      slab.put(segment);
      leasedCount--;
      taken++;
    }
    return taken;
  }

  /** True once after a lease failed, when it would succeed. */
  public boolean tryRecover() {
    if (starved && slab.has(starvedBytes)) {
      starved = false;
      return true;
    }
    return false;
  }

  /** True if somebody waits for a segment and other threads have brought some back. */
  public boolean hasReturnsForStarved() {
    return starved && !returns.isEmpty();
  }

  @Override
  @AnyThread
  public void giveBack(Segment segment) {
    segment.markFree();
    if (Thread.currentThread() == shardThread) {
      slab.put(segment);
      leasedCount--;
      return;
    }
    returns.add(segment);
    if (starved) {
      wakeUp.run();
    }
  }

  /** Segments that are out, those that are on their way home included. */
  public int leasedCount() {
    return leasedCount;
  }

  /** Bytes of memory held, leased or free. */
  public long reservedBytes() {
    return slab.reservedBytes();
  }
}
