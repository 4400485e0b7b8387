package io.penstock.examples.smoke.sharded;

import io.penstock.shards.memory.Segment;
import io.penstock.shards.net.ConnectionRef;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.atomic.SpscUnboundedAtomicArrayQueue;

/**
 * Sends replies from a thread that is no shard. Owns the segments on their way through it; how many
 * those can be is bounded by the shards' pools.
 */
final class Poker implements AutoCloseable {
  private static final int CHUNK = 1024;
  private static final long REFUSED_WAIT_NANOS = 20_000;
  private static final long CLOSE_WAIT_MILLIS = 5_000;

  // For each shard alternately a connection and the segment to send on it; that shard adds, the
  // thread takes.
  private final List<Queue<Object>> queues = new ArrayList<>();
  private final Thread thread = new Thread(this::run, "penstock-smoke-poke");
  // Volatile: set by the thread before it sleeps, read by shards after they have added.
  private volatile boolean asleep;
  // Volatile: set by whoever closes.
  private volatile boolean closing;

  Poker(int shards) {
    for (int i = 0; i < shards; i++) {
      queues.add(new SpscUnboundedAtomicArrayQueue<>(CHUNK));
    }
  }

  void start() {
    thread.start();
  }

  /** On that shard: passes the segment on, to be sent from the other thread. */
  void add(int shard, ConnectionRef connection, Segment segment) {
    Queue<Object> queue = queues.get(shard);
    queue.add(connection);
    queue.add(segment.passTo(this));
    // The add is seen before the flag is read, or the thread could sleep on it.
    VarHandle.fullFence();
    if (asleep) {
      asleep = false;
      LockSupport.unpark(thread);
    }
  }

  private void run() {
    while (true) {
      if (sendSome()) {
        continue;
      }
      if (closing) {
        return;
      }
      asleep = true;
      if (isEmpty() && !closing) {
        LockSupport.park(this);
      }
      asleep = false;
    }
  }

  private boolean sendSome() {
    boolean sent = false;
    for (Queue<Object> queue : queues) {
      Object connection = queue.poll();
      if (connection != null) {
        Object segment = queue.poll();
        while (segment == null) {
          // The shard is between its two adds.
          Thread.onSpinWait();
          segment = queue.poll();
        }
        send((ConnectionRef) connection, (Segment) segment);
        sent = true;
      }
    }
    return sent;
  }

  /** A connection that takes no more holds up the others, as one thread that sends for all does. */
  private static void send(ConnectionRef connection, Segment segment) {
    while (!connection.tryWrite(segment)) {
      LockSupport.parkNanos(REFUSED_WAIT_NANOS);
    }
  }

  private boolean isEmpty() {
    return queues.stream().allMatch(Queue::isEmpty);
  }

  /** Sends what is queued, then ends the thread; no shard adds any more. */
  @Override
  public void close() {
    closing = true;
    LockSupport.unpark(thread);
    try {
      thread.join(CLOSE_WAIT_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      throw new IllegalStateException(
          thread.getName() + " did not end within " + CLOSE_WAIT_MILLIS + " ms");
    }
  }

  /** Waits until all that was added is sent; false if that takes too long. */
  boolean awaitIdle(long timeoutMillis) {
    long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    while (!(asleep && isEmpty())) {
      if (System.nanoTime() - deadlineNanos >= 0) {
        return false;
      }
      LockSupport.parkNanos(REFUSED_WAIT_NANOS);
    }
    return true;
  }

  @Override
  public String toString() {
    return thread.getName();
  }
}
