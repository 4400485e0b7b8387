package io.penstock.shards.net;

import io.penstock.shards.core.AnyThread;
import io.penstock.shards.memory.Segment;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;

/**
 * A connection as other threads see it: what it is told travels to its shard.
 *
 * <p>Many writes on their way cost one visit to the shard. They keep the order in which one thread
 * made them.
 */
@AnyThread
public final class ConnectionRef {
  private static final int CHUNK = 16;

  private final Connection connection;
  // Many writers, one shard; made by the first write, since most connections never see one.
  private volatile Queue<Segment> writes;
  // True while a visit to the shard is under way and has not begun to take.
  private final AtomicBoolean visiting = new AtomicBoolean();
  // Bytes on their way, added by writers, taken off by the shard.
  private final AtomicLong onTheWayBytes = new AtomicLong();
  // Volatile: set by a writer that was refused for what is on the way, cleared by the shard.
  private volatile boolean refused;

  ConnectionRef(Connection connection) {
    this.connection = connection;
  }

  /** Its number, unique in its shard. */
  public long id() {
    return connection.id();
  }

  /** The index of its shard. */
  public int shardIndex() {
    return connection.shardIndex();
  }

  /**
   * Sends a segment to the connection, to be queued there.
   *
   * @return false while the connection's queue is over its high watermark, or as much is on its way
   *     there; then the segment stays the caller's, and {@link ConnectionHandler#onWritable} tells
   *     when to try again. A segment that was taken for a connection that has ended is released.
   */
  public boolean tryWrite(Segment segment) {
    int lengthBytes = segment.length();
    if (connection.out.isFull() || isMuchOnTheWay()) {
      return false;
    }
    onTheWayBytes.addAndGet(lengthBytes);
    queue().add(segment);
    if (visiting.compareAndSet(false, true)) {
      try {
        connection.shard.loop().execute(this::takeWrites);
      } catch (RejectedExecutionException e) {
        // The shard is gone and nobody else takes: give back what is here, this one included.
        releaseOnTheWay();
        return true;
      }
    }
    return true;
  }

  /** Has the action run on the connection's shard, with the connection. */
  public void execute(java.util.function.Consumer<Connection> action) {
    connection.shard.loop().execute(() -> action.accept(connection));
  }

  /** As {@link Connection#finish()}, behind the writes made before. */
  public void finish() {
    execute(Connection::finish);
  }

  /** As {@link Connection#close()}, behind the writes made before. */
  public void close() {
    execute(Connection::close);
  }

  /** As {@link Connection#abort()}. */
  public void abort() {
    execute(Connection::abort);
  }

  private Queue<Segment> queue() {
    Queue<Segment> existing = writes;
    if (existing != null) {
      return existing;
    }
    synchronized (this) {
      if (writes == null) {
        writes = new MpscUnboundedAtomicArrayQueue<>(CHUNK);
      }
      return writes;
    }
  }

  /** Notes that a writer waits; looks again behind that, lest the shard has just taken all. */
  private boolean isMuchOnTheWay() {
    int limitBytes = connection.options().highWatermarkBytes();
    if (onTheWayBytes.get() < limitBytes) {
      return false;
    }
    refused = true;
    return onTheWayBytes.get() >= limitBytes;
  }

  /** Takes what is there as it begins; what comes meanwhile brings a visit of its own. */
  private void takeWrites() {
    visiting.set(false);
    Queue<Segment> queue = writes;
    for (int left = queue.size(); left > 0; left--) {
      Segment segment = queue.poll();
      onTheWayBytes.addAndGet(-segment.length());
      if (!connection.out.tryWriteLate(segment)) {
        segment.release();
      }
    }
    if (refused) {
      refused = false;
      connection.out.tellWritableUnlessFull();
    }
  }

  /** Behind the end of the shard. Visits are allowed again first: who adds later takes it back. */
  private synchronized void releaseOnTheWay() {
    visiting.set(false);
    for (Segment segment = writes.poll(); segment != null; segment = writes.poll()) {
      onTheWayBytes.addAndGet(-segment.length());
      segment.release();
    }
  }

  @Override
  public String toString() {
    return connection.toString();
  }
}
