package io.penstock.shards.memory;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Free segments by size class, carved from chunks that are made when a class runs out, up to a
 * budget in bytes.
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

  private final SegmentHome home;
  private final MemoryAddress addresses;
  private final Segment[][] free = new Segment[CLASS_BYTES.length][16];
  private final int[] freeCount = new int[CLASS_BYTES.length];
  private long reservedBytes;
  // The budget, or less where the JVM has less.
  private long limitBytes;

  Slab(SegmentHome home, MemoryAddress addresses, long budgetBytes) {
    this.home = home;
    this.addresses = addresses;
    this.limitBytes = budgetBytes;
  }

  /** A free segment of at least that size, or null when the budget has none left. */
  Segment take(int leastBytes) {
    int sizeClass = classFor(leastBytes);
    if (sizeClass == UNPOOLED) {
      return takeUnpooled(leastBytes);
    }
    for (int c = sizeClass; c < CLASS_BYTES.length; c++) {
      if (freeCount[c] == 0 && (c > sizeClass || !grow(c))) {
        continue;
      }
      return pop(c);
    }
    return null;
  }

  private Segment pop(int sizeClass) {
    int last = --freeCount[sizeClass];
    Segment segment = free[sizeClass][last];
    free[sizeClass][last] = null;
    return segment;
  }

  void put(Segment segment) {
    int c = segment.sizeClass();
    if (c == UNPOOLED) {
      reservedBytes -= segment.capacity();
      return;
    }
    if (freeCount[c] == free[c].length) {
      free[c] = Arrays.copyOf(free[c], free[c].length * 2);
    }
    free[c][freeCount[c]++] = segment;
  }

  /** The largest free segment of at most that size, or null when the budget has none left. */
  Segment takeLargest(int mostBytes) {
    for (int c = classFor(mostBytes); c >= 0; c--) {
      if (freeCount[c] > 0 || grow(c)) {
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
      if (freeCount[c] > 0) {
        return true;
      }
    }
    return reservedBytes + chunkBytes(sizeClass) <= limitBytes;
  }

  /** Bytes of memory held, leased or free. */
  long reservedBytes() {
    return reservedBytes;
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
    ByteBuffer memory = allocate(lengthBytes);
    if (memory == null) {
      return null;
    }
    reservedBytes += lengthBytes;
    return new Segment(home, memory, addresses.of(memory), UNPOOLED);
  }

  private static int chunkBytes(int sizeClass) {
    return Math.max(SMALLEST_CHUNK_BYTES, CLASS_BYTES[sizeClass]);
  }

  private boolean grow(int sizeClass) {
    int segmentBytes = CLASS_BYTES[sizeClass];
    int chunkBytes = chunkBytes(sizeClass);
    if (reservedBytes + chunkBytes > limitBytes) {
      return false;
    }
    ByteBuffer chunk = allocate(chunkBytes);
    if (chunk == null) {
      return false;
    }
    reservedBytes += chunkBytes;
    long address = addresses.of(chunk);
    for (int at = 0; at < chunkBytes; at += segmentBytes) {
      long segmentAddress = address == 0 ? 0 : address + at;
      put(new Segment(home, chunk.slice(at, segmentBytes), segmentAddress, sizeClass));
    }
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
