package io.penstock.shards.memory;

import java.nio.ByteBuffer;

/**
 * Memory that was got at once, carved into segments of one size, with those that are free as a
 * stack. Confined as its slab is, which links it into a list of those that have free segments.
 */
final class Chunk {
  final int sizeClass;
  final long address;
  final int lengthBytes;
  private final Segment[] free;
  private int freeCount;
  Chunk previous;
  Chunk next;
  int lastUsedPeriod;

  /** All segments are free. An address of 0 means that none is known. */
  Chunk(SegmentHome home, ByteBuffer memory, long address, int sizeClass, int segmentBytes) {
    this.sizeClass = sizeClass;
    this.address = address;
    this.lengthBytes = memory.capacity();
    this.free = new Segment[memory.capacity() / segmentBytes];
    for (int i = 0; i < free.length; i++) {
      int at = i * segmentBytes;
      long segmentAddress = address == 0 ? 0 : address + at;
      free[i] = new Segment(home, this, memory.slice(at, segmentBytes), segmentAddress, sizeClass);
    }
    freeCount = free.length;
  }

  boolean hasFree() {
    return freeCount > 0;
  }

  boolean isWhole() {
    return freeCount == free.length;
  }

  Segment pop() {
    Segment segment = free[--freeCount];
    free[freeCount] = null;
    return segment;
  }

  void push(Segment segment) {
    free[freeCount++] = segment;
  }
}
