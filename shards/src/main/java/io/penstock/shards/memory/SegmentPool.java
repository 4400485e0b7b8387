package io.penstock.shards.memory;

import io.penstock.shards.core.AnyThread;
import io.penstock.shards.core.OnShard;
import java.util.List;
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

  /** A pool of which more than this part is out is used with care. */
  private static final int SCARCE_SHARE = 4;

  private final Slab slab;
  private final LeaseSamples samples = new LeaseSamples();
  private final long scarceBytes;
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
  private Runnable onSampled = () -> {};
  private Runnable onGrown = () -> {};
  private long leasedBytes;

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
    this.slab = new Slab(this, addresses, budgetBytes, () -> onGrown.run());
    this.scarceBytes = budgetBytes / SCARCE_SHARE;
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
      leasedBytes += segment.capacity();
      segment.markLeased(owner, Segment.STRICT ? nanoClock.getAsLong() : 0);
      if (samples.isNext()) {
        samples.watch(segment, nanoClock.getAsLong());
        onSampled.run();
      }
    }
    return segment;
  }

  /** Takes in what other threads released; returns how many. */
  public int takeReturns() {
    int taken = 0;
    for (Segment segment = returns.poll(); segment != null; segment = returns.poll()) {
      takeIn(segment);
      taken++;
    }
    return taken;
  }

  private void takeIn(Segment segment) {
    slab.put(segment);
    leasedCount--;
    leasedBytes -= segment.capacity();
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
      takeIn(segment);
      return;
    }
    returns.add(segment);
    if (starved) {
      wakeUp.run();
    }
  }

  /** Has that run whenever a lease is watched, so that somebody looks after it. */
  public void onSampled(Runnable action) {
    onSampled = action;
  }

  /** Has that run whenever the pool takes more memory, so that somebody trims it later. */
  public void onGrown(Runnable action) {
    onGrown = action;
  }

  /** True if leases are watched that go on and were not told of. */
  public boolean isWatchingLeases() {
    return samples.isWatching();
  }

  /**
   * Who has held segments for that long, by a sample of one lease in {@link
   * LongLease#SAMPLED_EVERY}. Each lease is told of once.
   */
  public List<LongLease> takeLongLeases(long ageNanos) {
    return samples.takeLong(ageNanos, nanoClock.getAsLong());
  }

  /** Segments that are out, those that are on their way home included. */
  public int leasedCount() {
    return leasedCount;
  }

  /**
   * Gives back memory of which nobody leased or released anything since the last call.
   *
   * @return true if a later call may give back more
   */
  public boolean trim() {
    return slab.trim();
  }

  /** True while so much is out that room in segments should not be wasted. */
  public boolean isScarce() {
    return leasedBytes > scarceBytes;
  }

  /** Bytes of memory held, leased or free. */
  public long reservedBytes() {
    return slab.reservedBytes();
  }
}
