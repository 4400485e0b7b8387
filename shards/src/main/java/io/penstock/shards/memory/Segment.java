package io.penstock.shards.memory;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A slice of pooled off-heap memory with one owner.
 *
 * <p>It holds readable bytes from {@link #from()} to {@link #to()}, and room behind them. Whoever
 * leased it or was passed it owns it, alone uses it, and passes it on or releases it once.
 * Ownership may move between threads by any hand-over that orders memory, such as a mailbox;
 * nothing here is synchronised. {@link #release()} may run on any thread.
 *
 * <p>A second release always fails. With {@code -Dpenstock.segments.strict=true} (test mode) any
 * use after release fails as well, and both name the last owner.
 */
public final class Segment {
  static final boolean STRICT = Boolean.getBoolean("penstock.segments.strict");

  private final SegmentHome home;
  private final Chunk chunk;
  private final ByteBuffer memory;
  private final long address;
  private final int sizeClass;

  private ByteBuffer view;
  private int from;
  private int to;
  private boolean leased;
  private int leaseNumber;
  private Object owner;
  private long leasedAtNanos;

  /** A segment of a chunk, or of none. */
  Segment(SegmentHome home, Chunk chunk, ByteBuffer memory, long address, int sizeClass) {
    this.home = home;
    this.chunk = chunk;
    this.memory = memory;
    this.address = address;
    this.sizeClass = sizeClass;
  }

  /** Bytes it can hold. */
  public int capacity() {
    return memory.capacity();
  }

  /** Where the readable bytes begin. */
  public int from() {
    checkLive();
    return from;
  }

  /** Where the readable bytes end and the room begins. */
  public int to() {
    checkLive();
    return to;
  }

  /** Readable bytes. */
  public int length() {
    checkLive();
    return to - from;
  }

  /** Bytes of room behind the readable ones. */
  public int room() {
    checkLive();
    return memory.capacity() - to;
  }

  /** Native address of byte 0, or 0 where no native library is loaded. Valid while owned. */
  public long address() {
    checkLive();
    return address;
  }

  /** Makes the bytes in {@code [from, to)} the readable ones. */
  public Segment range(int from, int to) {
    checkLive();
    Objects.checkFromToIndex(from, to, memory.capacity());
    this.from = from;
    this.to = to;
    return this;
  }

  /** Drops bytes from the front of the readable ones. */
  public void consume(int lengthBytes) {
    checkLive();
    Objects.checkFromIndexSize(from, lengthBytes, to);
    from += lengthBytes;
  }

  /** The byte at an offset from the start of the readable ones. */
  public byte byteAt(int offset) {
    checkLive();
    Objects.checkIndex(offset, to - from);
    return memory.get(from + offset);
  }

  /** Appends what fits of the array's part; returns how much that was. */
  public int append(byte[] source, int offset, int lengthBytes) {
    checkLive();
    int n = Math.min(lengthBytes, room());
    memory.put(to, source, offset, n);
    to += n;
    return n;
  }

  /** Appends what fits of the buffer's remaining bytes and moves its position by that. */
  public int append(ByteBuffer source) {
    checkLive();
    int n = Math.min(source.remaining(), room());
    memory.put(to, source, source.position(), n);
    source.position(source.position() + n);
    to += n;
    return n;
  }

  /** Appends what fits of the other's readable bytes, which stay there; returns how much. */
  public int append(Segment source) {
    checkLive();
    source.checkLive();
    int n = Math.min(source.length(), room());
    memory.put(to, source.memory, source.from, n);
    to += n;
    return n;
  }

  /** Copies readable bytes out, from an offset from their start; they stay readable. */
  public void copyTo(int offset, byte[] target, int targetOffset, int lengthBytes) {
    checkLive();
    Objects.checkFromIndexSize(offset, lengthBytes, to - from);
    memory.get(from + offset, target, targetOffset, lengthBytes);
  }

  /** A copy of the readable bytes. */
  public byte[] toByteArray() {
    byte[] copy = new byte[length()];
    copyTo(0, copy, 0, copy.length);
    return copy;
  }

  /**
   * The readable bytes as a buffer. It is the segment's own view, the same object each time: valid
   * until the next call on this segment, never after release.
   */
  public ByteBuffer readable() {
    checkLive();
    return view().position(from).limit(to);
  }

  /** The room as a buffer, under the terms of {@link #readable()}; say what was put by range. */
  public ByteBuffer writable() {
    checkLive();
    return view().position(to);
  }

  /** Names the new owner for leak reports; changes nothing else. Returns this. */
  public Segment passTo(Object newOwner) {
    checkLive();
    owner = newOwner;
    return this;
  }

  /**
   * Gives the segment back. Any thread; from another than its shard's it travels home with others.
   *
   * @throws IllegalStateException if it was released before; names the last owner
   */
  public void release() {
    if (!leased) {
      throw new IllegalStateException("released twice: " + this);
    }
    home.giveBack(this);
  }

  /** Releases it if it is out and was not passed on by that owner. */
  public void releaseIfOwnedBy(Object expected) {
    if (leased && owner == expected) {
      release();
    }
  }

  void markLeased(Object newOwner, long nowNanos) {
    assert !leased : "leased while leased: " + this;
    leased = true;
    leaseNumber++;
    owner = newOwner;
    leasedAtNanos = nowNanos;
    from = 0;
    to = 0;
  }

  /** Called by the home as it takes the segment back; the owner stays for the message above. */
  void markFree() {
    leased = false;
  }

  int sizeClass() {
    return sizeClass;
  }

  /** What it was carved from; null if it is larger than all classes, or lent. */
  Chunk chunk() {
    return chunk;
  }

  /** Tells its leases apart. */
  int leaseNumber() {
    return leaseNumber;
  }

  /** True while the lease of that number goes on. */
  boolean isOut(int number) {
    return leased && leaseNumber == number;
  }

  Object owner() {
    return owner;
  }

  long leasedAtNanos() {
    return leasedAtNanos;
  }

  /** Made once, when first asked for: position and limit of the memory itself never move. */
  private ByteBuffer view() {
    if (view == null) {
      view = memory.duplicate();
    }
    return view.clear();
  }

  private void checkLive() {
    if (STRICT && !leased) {
      throw new IllegalStateException("used after release: " + this);
    }
  }

  @Override
  public String toString() {
    return "segment of "
        + memory.capacity()
        + " bytes ["
        + from
        + ", "
        + to
        + ") "
        + (leased ? "owned by " : "free, last owned by ")
        + owner;
  }
}
