package io.penstock.shards.memory;

import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Free segments by size class, carved from chunks that are made when a class runs out, up to a
 * budget in bytes, and whose memory goes back to the system when they are not needed for a while.
 *
 * <p>Not synchronised: a shard's pool confines it to the shard, the shared pool guards it by a
 * lock. Leased and released last in, first out, so that the memory used next is still in the cache.
 */
final class Slab {
  private static final Logger LOG = LoggerFactory.getLogger(Slab.class);

  /** Bytes of the size classes. Four to one: at most three quarters of a segment stay unused. */
  private static final int[] CLASS_BYTES = {256, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18};

  /** Marks a segment that is larger than all classes and is dropped on release. */
  static final int UNPOOLED = -1;

  static final int LARGEST_CLASS_BYTES = CLASS_BYTES[CLASS_BYTES.length - 1];

  /** A cache line, so that no two segments share one. */
  private static final int ALIGNMENT_BYTES = 64;

  private static final int SMALLEST_CHUNK_BYTES = 1 << 16;

  /** Chunks of a class that are kept as addresses without memory; those beyond are forgotten. */
  private static final int MOST_DISCARDED = 64;

  private final SegmentHome home;
  private final MemoryAddress memory;
  private final Runnable onGrown;
  private final ChunkList[] available = new ChunkList[CLASS_BYTES.length];
  private final ChunkList[] discarded = new ChunkList[CLASS_BYTES.length];
  private final int[] discardedCount = new int[CLASS_BYTES.length];
  private long reservedBytes;
  // The budget, or less where the JVM has less.
  private long limitBytes;
  private int period;

  /**
   * Holds no memory yet.
   *
   * @param onGrown run whenever it holds more than before, which {@link #trim} may give back
   */
  Slab(SegmentHome home, MemoryAddress memory, long budgetBytes, Runnable onGrown) {
    this.home = home;
    this.memory = memory;
    this.onGrown = onGrown;
    this.limitBytes = budgetBytes;
    for (int c = 0; c < CLASS_BYTES.length; c++) {
      available[c] = new ChunkList();
      discarded[c] = new ChunkList();
    }
  }

  /** A free segment of at least that size, or null when the budget has none left. */
  Segment take(int leastBytes) {
    int sizeClass = classFor(leastBytes);
    if (sizeClass == UNPOOLED) {
      return takeUnpooled(leastBytes);
    }
    for (int c = sizeClass; c < CLASS_BYTES.length; c++) {
      if (available[c].isEmpty() && (c > sizeClass || !grow(c))) {
        continue;
      }
      return pop(c);
    }
    return null;
  }

  private Segment pop(int sizeClass) {
    Chunk chunk = available[sizeClass].first();
    chunk.lastUsedPeriod = period;
    Segment segment = chunk.pop();
    if (!chunk.hasFree()) {
      available[sizeClass].remove(chunk);
    }
    return segment;
  }

  void put(Segment segment) {
    int c = segment.sizeClass();
    if (c == UNPOOLED) {
      reservedBytes -= segment.capacity();
      return;
    }
    Chunk chunk = segment.chunk();
    if (chunk.hasFree()) {
      available[c].moveToFront(chunk);
    } else {
      available[c].addFirst(chunk);
    }
    chunk.lastUsedPeriod = period;
    chunk.push(segment);
  }

  /** The largest free segment of at most that size, or null when the budget has none left. */
  Segment takeLargest(int mostBytes) {
    for (int c = classFor(mostBytes); c >= 0; c--) {
      if (!available[c].isEmpty() || grow(c)) {
        return pop(c);
      }
    }
    return null;
  }

  /** True if {@link #take} would find one, memory outside of the budget aside. */
  boolean has(int leastBytes) {
    int sizeClass = classFor(leastBytes);
    if (sizeClass == UNPOOLED) {
      return reservedBytes + leastBytes <= limitBytes;
    }
    for (int c = sizeClass; c < CLASS_BYTES.length; c++) {
      if (!available[c].isEmpty()) {
        return true;
      }
    }
    return reservedBytes + chunkBytes(sizeClass) <= limitBytes;
  }

  /** Bytes of memory held, leased or free. */
  long reservedBytes() {
    return reservedBytes;
  }

  /**
   * Ends a period: gives back the memory of chunks of which nothing was leased or came back in it.
   *
   * @return true if there are chunks that a later call may give back
   */
  boolean trim() {
    boolean more = false;
    for (int c = 0; c < CLASS_BYTES.length; c++) {
      Chunk chunk = available[c].last();
      while (chunk != null) {
        Chunk before = chunk.previous;
        if (chunk.isWhole()) {
          if (period - chunk.lastUsedPeriod > 0) {
            discard(chunk);
          } else {
            more = true;
          }
        }
        chunk = before;
      }
    }
    period++;
    return more;
  }

  private void discard(Chunk chunk) {
    int c = chunk.sizeClass;
    available[c].remove(chunk);
    reservedBytes -= chunk.lengthBytes;
    boolean kept =
        discardedCount[c] < MOST_DISCARDED
            && chunk.address != 0
            && memory.tryDiscard(chunk.address, chunk.lengthBytes);
    if (kept) {
      discarded[c].addFirst(chunk);
      discardedCount[c]++;
    } // Else the garbage collector has it.
  }

  private static int classFor(int leastBytes) {
    if (leastBytes < 0) {
      throw new IllegalArgumentException("a segment of " + leastBytes + " bytes");
    }
    for (int c = 0; c < CLASS_BYTES.length; c++) {
      if (leastBytes <= CLASS_BYTES[c]) {
        return c;
      }
    }
    return UNPOOLED;
  }

  private Segment takeUnpooled(int lengthBytes) {
    if (reservedBytes + lengthBytes > limitBytes) {
      return null;
    }
    ByteBuffer bytes = allocate(lengthBytes);
    if (bytes == null) {
      return null;
    }
    reservedBytes += lengthBytes;
    return new Segment(home, null, bytes, memory.of(bytes), UNPOOLED);
  }

  private static int chunkBytes(int sizeClass) {
    return Math.max(SMALLEST_CHUNK_BYTES, CLASS_BYTES[sizeClass]);
  }

  private boolean grow(int sizeClass) {
    int chunkBytes = chunkBytes(sizeClass);
    if (reservedBytes + chunkBytes > limitBytes) {
      return false;
    }
    Chunk chunk = discarded[sizeClass].first();
    if (chunk != null) {
      discarded[sizeClass].remove(chunk);
      discardedCount[sizeClass]--;
    } else {
      ByteBuffer bytes = allocate(chunkBytes);
      if (bytes == null) {
        return false;
      }
      chunk = new Chunk(home, bytes, memory.of(bytes), sizeClass, CLASS_BYTES[sizeClass]);
    }
    chunk.lastUsedPeriod = period;
    reservedBytes += chunkBytes;
    available[sizeClass].addFirst(chunk);
    onGrown.run();
    return true;
  }

  /**
   * Aligned memory, or null when the JVM's own limit for direct memory is reached. That is the
   * limit then: to find it out again takes the JVM half a second each time.
   */
  private ByteBuffer allocate(int lengthBytes) {
    try {
      // Two lines more: an aligned slice ends at the last whole one.
      return ByteBuffer.allocateDirect(Math.addExact(lengthBytes, 2 * ALIGNMENT_BYTES))
          .alignedSlice(ALIGNMENT_BYTES)
          .slice(0, lengthBytes);
    } catch (OutOfMemoryError e) {
      LOG.warn(
          "segments are limited to the {} bytes held now: {}; see -XX:MaxDirectMemorySize",
          reservedBytes,
          e.getMessage());
      limitBytes = reservedBytes;
      return null;
    }
  }
}
