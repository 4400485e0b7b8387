package io.penstock.shards.net;

import io.penstock.shards.core.AnyThread;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.loop.Flushable;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.memory.SegmentQueue;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.poller.IoResult;
import io.penstock.shards.poller.StreamSocket;

/**
 * The writing side of a connection: one queue, at most one write in flight, one flush a turn.
 *
 * <p>Owns what is queued until the kernel has taken it, or until the socket is released when the
 * connection ends before.
 */
@OnShard
final class Outbound implements Flushable {
  /** From here on a flush does not wait for the turn's end: the bytes are still in the cache. */
  private static final int FLUSH_AT_ONCE_BYTES = 1 << 14;

  /** Smaller segments are not worth a copy when what is in them has to wait. */
  private static final int FIT_FROM_BYTES = 1 << 16;

  private final Connection connection;
  private final NetShard shard;
  private final SegmentQueue queue = new SegmentQueue();
  private AckQueue acks;
  private long queuedTotal;
  private long writtenTotal;
  private boolean flushQueued;
  // Of the queue's front: until the write ends, the kernel reads them. 0 while none is pending.
  private int segmentsInFlight;
  private boolean blocked;
  // Volatile: writers on other threads ask; changed on the shard.
  private volatile boolean full;
  private boolean finishAsked;
  private boolean finished;

  Outbound(Connection connection) {
    this.connection = connection;
    this.shard = connection.shard;
  }

  long queuedBytes() {
    return queue.lengthBytes();
  }

  /** What the kernel has taken so far. */
  long writtenBytes() {
    return writtenTotal;
  }

  boolean isWritable() {
    return !full && !finishAsked;
  }

  /** True while the queue is over its watermark. */
  @AnyThread
  boolean isFull() {
    return full;
  }

  boolean isFinishAsked() {
    return finishAsked;
  }

  boolean isFinished() {
    return finished;
  }

  /** False, and the segment stays the caller's, when it is over its watermark or finished. */
  boolean tryWrite(Segment segment, WriteAck ack) {
    if (full || finishAsked || !connection.takesWrites()) {
      return false;
    }
    queuedTotal += segment.length();
    Segment own = blocked ? fitted(segment.passTo(this)) : segment.passTo(this);
    shard.smallWrites().add(queue, own, queue.size() > segmentsInFlight, this);
    if (ack != null) {
      if (acks == null) {
        acks = new AckQueue();
      }
      acks.add(queuedTotal, ack);
    }
    if (queue.lengthBytes() >= connection.options().highWatermarkBytes()) {
      full = true;
    }
    flushSoon();
    return true;
  }

  /**
   * As {@link #tryWrite} for a segment that was taken by a ref: its watermark was checked there.
   */
  boolean tryWriteLate(Segment segment) {
    if (finishAsked || !connection.takesWrites()) {
      return false;
    }
    boolean wasFull = full;
    full = false;
    boolean taken = tryWrite(segment, null);
    full |= wasFull;
    return taken;
  }

  /** For a writer on another thread that was refused before its writes came to the queue. */
  void tellWritableUnlessFull() {
    if (isWritable() && connection.takesWrites()) {
      connection.tellWritable();
    }
  }

  /** Takes no more; once the queue has left, the peer is told. */
  void finish() {
    if (!finishAsked) {
      finishAsked = true;
      flushSoon();
    }
  }

  /** Sends at once what would otherwise wait for the turn's end, if it is much. */
  void flushIfLarge() {
    if (queue.lengthBytes() >= FLUSH_AT_ONCE_BYTES) {
      writeQueued();
    }
  }

  @Override
  public void flush() {
    flushQueued = false;
    shard.loop().running(connection);
    try {
      writeQueued();
      settle();
    } catch (Throwable defect) {
      connection.brokenBy(defect);
      throw defect;
    }
  }

  void onWritable() {
    blocked = false;
    writeQueued();
    settle();
  }

  void onWritten(int result) {
    segmentsInFlight = 0;
    if (result >= 0) {
      advance(result);
    } else if (connection.isLive()) {
      connection.failed(result);
    }
    if (connection.isLive()) {
      writeQueued();
      settle();
    }
  }

  void onOpened() {
    if (!queue.isEmpty() || finishAsked) {
      flushSoon();
    }
  }

  /**
   * Tells the waiting acks that the connection ended; those whose bytes have left, that instead.
   */
  void failAcks(CloseReason reason) {
    if (acks == null) {
      return;
    }
    for (WriteAck ack = acks.pollDue(writtenTotal); ack != null; ack = acks.pollDue(writtenTotal)) {
      connection.tellWritten(ack);
    }
    for (WriteAck ack = acks.poll(); ack != null; ack = acks.poll()) {
      connection.tellFailed(ack, reason);
    }
  }

  /** The kernel uses nothing any more. */
  void releaseAll() {
    queue.releaseAll();
    full = false;
  }

  private void flushSoon() {
    if (!flushQueued) {
      flushQueued = true;
      shard.loop().flushLater(this);
    }
  }

  private void writeQueued() {
    if (segmentsInFlight > 0 || blocked || connection.isConnecting() || !connection.isLive()) {
      return;
    }
    StreamSocket socket = connection.socket();
    while (queue.lengthBytes() > 0) {
      dropEmptyFront();
      int offered = Math.min(queue.size(), StreamSocket.MAX_GATHER_SEGMENTS);
      int left = queue.size() - offered;
      long result = socket.write(queue);
      countWrite();
      if (result == IoResult.PENDING) {
        segmentsInFlight = offered;
        return;
      }
      if (result == IoResult.WOULD_BLOCK) {
        block(socket);
        return;
      }
      if (result < 0) {
        connection.failed((int) result);
        return;
      }
      advance(result);
      if (queue.size() > left) {
        // The socket took less than it was offered: it is full, and says so when it is not.
        block(socket);
        return;
      }
    }
    dropEmptyFront();
  }

  private void block(StreamSocket socket) {
    blocked = true;
    socket.wantWritable(true);
    queue.replaceFirst(fitted(queue.get(0)));
  }

  /**
   * What will wait, in a segment of its size if its own is far too large: a peer that does not read
   * holds little of the pool, and the large segment is read into again while it is in the cache.
   */
  private Segment fitted(Segment segment) {
    int lengthBytes = segment.length();
    if (segment.capacity() < FIT_FROM_BYTES || lengthBytes > segment.capacity() / 4) {
      return segment;
    }
    Segment fitting = shard.pool().tryLease(lengthBytes, this);
    if (fitting == null) {
      return segment;
    }
    fitting.append(segment);
    segment.release();
    return fitting;
  }

  private void countWrite() {
    shard.counters().increment(Counter.SENDS);
    shard.counters().increment(queue.size() == 1 ? Counter.PLAIN_SENDS : Counter.GATHERS);
  }

  private void advance(long bytes) {
    connection.touch();
    writtenTotal += bytes;
    shard.counters().add(Counter.SENT_BYTES, bytes);
    long left = bytes;
    while (!queue.isEmpty()) {
      int first = queue.get(0).length();
      if (first > left) {
        queue.consumeFirst((int) left);
        return;
      }
      left -= first;
      queue.removeFirst().release();
    }
  }

  private void dropEmptyFront() {
    while (!queue.isEmpty() && queue.get(0).length() == 0) {
      queue.removeFirst().release();
    }
  }

  /** Acks what left, tells a refused writer, finishes: all that follows from bytes having left. */
  private void settle() {
    if (acks != null) {
      for (WriteAck ack = acks.pollDue(writtenTotal);
          ack != null && connection.isLive();
          ack = acks.pollDue(writtenTotal)) {
        connection.tellWritten(ack);
      }
    }
    if (!connection.isLive()) {
      return;
    }
    if (full && queue.lengthBytes() <= connection.options().lowWatermarkBytes()) {
      full = false;
      connection.tellWritable();
    }
    if (finishAsked
        && !finished
        && queue.isEmpty()
        && segmentsInFlight == 0
        && connection.isLive()) {
      if (connection.isConnecting()) {
        return;
      }
      finished = true;
      connection.onOutputDrained();
    }
  }

  @Override
  public String toString() {
    return "output of " + connection;
  }
}
