package io.penstock.shards.memory;

import java.util.Arrays;

/**
 * An ordered list of segments that is filled at its end and emptied from its front, as bytes leave.
 *
 * <p>Used by one thread. Owns what is in it. Allocates only when it grows.
 */
public final class SegmentQueue {
  private static final int INITIAL_CAPACITY = 4;

  private Segment[] ring = new Segment[INITIAL_CAPACITY];
  private int head;
  private int size;
  private long lengthBytes;

  /** Segments held. */
  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /** Readable bytes held. */
  public long lengthBytes() {
    return lengthBytes;
  }

  /** The i-th segment from the front. */
  public Segment get(int index) {
    assert index >= 0 && index < size : index + " of " + size;
    return ring[(head + index) & (ring.length - 1)];
  }

  /** Takes ownership of a segment and puts it at the end. */
  public void add(Segment segment) {
    if (size == ring.length) {
      grow();
    }
    ring[(head + size) & (ring.length - 1)] = segment;
    size++;
    lengthBytes += segment.length();
  }

  /** Takes the front segment out; ownership passes to the caller. */
  public Segment removeFirst() {
    assert size > 0;
    Segment first = ring[head];
    ring[head] = null;
    head = (head + 1) & (ring.length - 1);
    size--;
    lengthBytes -= first.length();
    return first;
  }

  /** Appends the other's bytes to the last segment, which has room for them. */
  public void appendToLast(Segment other) {
    int appended = get(size - 1).append(other);
    assert appended == other.length() : appended + " of " + other;
    lengthBytes += appended;
  }

  /** Puts a segment with the same bytes in the place of the last one, which the caller gets. */
  public Segment replaceLast(Segment copy) {
    int index = (head + size - 1) & (ring.length - 1);
    Segment replaced = ring[index];
    ring[index] = copy;
    return replaced;
  }

  /** Puts a segment with the same bytes in the place of the front one, which passed out before. */
  public void replaceFirst(Segment copy) {
    ring[head] = copy;
  }

  /** Drops bytes from the front segment, which has at least that many. */
  public void consumeFirst(int bytes) {
    ring[head].consume(bytes);
    lengthBytes -= bytes;
  }

  /** Releases all. */
  public void releaseAll() {
    while (size > 0) {
      removeFirst().release();
    }
  }

  /** Gives back the room of a burst once it is over. */
  public void trim() {
    if (size == 0 && ring.length > INITIAL_CAPACITY * 16) {
      ring = new Segment[INITIAL_CAPACITY];
      head = 0;
    }
  }

  private void grow() {
    Segment[] larger = Arrays.copyOf(ring, ring.length * 2);
    for (int i = 0; i < size; i++) {
      larger[i] = ring[(head + i) & (ring.length - 1)];
    }
    Arrays.fill(larger, size, larger.length, null);
    ring = larger;
    head = 0;
  }
}
