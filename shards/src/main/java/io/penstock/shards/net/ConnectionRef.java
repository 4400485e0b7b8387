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
   * @return false when more than the high watermark is on its way, or the shard has ended; then the
   *     segment stays the caller's. A segment that was taken for a connection that has ended is
   *     released.
   */
  public boolean tryWrite(Segment segment) {
    int lengthBytes = segment.length();
    if (onTheWayBytes.get() >= connection.options().highWatermarkBytes()) {
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

  private void takeWrites() {
    visiting.set(false);
    Queue<Segment> queue = writes;
    for (Segment segment = queue.poll(); segment != null; segment = queue.poll()) {
      onTheWayBytes.addAndGet(-segment.length());
      if (!connection.out.tryWriteLate(segment)) {
        segment.release();
      }
    }
  }

  private synchronized void releaseOnTheWay() {
    for (Segment segment = writes.poll(); segment != null; segment = writes.poll()) {
      onTheWayBytes.addAndGet(-segment.length());
      segment.release();
    }
    visiting.set(false);
  }

  @Override
  public String toString() {
    return connection.toString();
  }
}
