package io.penstock.shards.loop;

import io.penstock.shards.core.AnyThread;
import io.penstock.shards.core.OnShard;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;

/**
 * What other threads bring to a shard, and the bell that wakes it.
 *
 * <p>Nothing is dropped: a task that {@link #add} took without an exception is handed to the shard,
 * also when the shard is about to end. The bell rings only for a shard that sleeps.
 */
final class Inbox {
  private static final int CHUNK = 1024;

  private static final int AWAKE = 0;
  private static final int ASLEEP = 1;
  private static final int CLOSED = 2;

  private final Runnable bell;
  // Many threads add, the shard takes. The atomic kind also runs where Unsafe is denied.
  private final Queue<Runnable> tasks = new MpscUnboundedAtomicArrayQueue<>(CHUNK);
  // Set asleep and closed by the shard, back to awake by whoever rings. Read after each add: adding
  // moves the queue's index by a CAS, a full fence, so that either the adder sees the sleeper here
  // or the sleeper sees the index.
  private final AtomicInteger mode = new AtomicInteger(AWAKE);
  // The shard's own: it has announced sleep and not ended it.
  private boolean sleeping;
  // Threads inside ring(): the bell's descriptor stays open until they are out.
  private final AtomicInteger ringing = new AtomicInteger();
  // Guards the queue's taking side once the inbox is closed, and the set below.
  private final Object closing = new Object();
  private final Set<Runnable> refused = Collections.newSetFromMap(new IdentityHashMap<>());

  Inbox(Runnable bell) {
    this.bell = bell;
  }

  /**
   * Adds a task and wakes the shard if it sleeps.
   *
   * @throws RejectedExecutionException if the shard has ended; then the task will not run
   */
  @AnyThread
  void add(Runnable task) {
    if (mode.get() == CLOSED) {
      throw ended();
    }
    tasks.add(task);
    if (mode.get() != AWAKE) {
      addedToSleeperOrClosed(task);
    }
  }

  private void addedToSleeperOrClosed(Runnable task) {
    ring();
    if (mode.get() != CLOSED) {
      return;
    }
    synchronized (closing) {
      // Either the shard's last drain had it, or it is still here and this thread takes it back;
      // then others' late tasks are taken too, and their adders find them in the set.
      for (Runnable late = tasks.poll(); late != null; late = tasks.poll()) {
        refused.add(late);
      }
      if (refused.remove(task)) {
        throw ended();
      }
    }
  }

  /** Wakes the shard if it sleeps. */
  @AnyThread
  void ring() {
    ringing.incrementAndGet();
    try {
      if (mode.compareAndSet(ASLEEP, AWAKE)) {
        bell.run();
      }
    } finally {
      ringing.decrementAndGet();
    }
  }

  /** Hands at most that many tasks to the consumer. */
  @OnShard
  int drain(Consumer<Runnable> consumer, int limit) {
    int taken = 0;
    while (taken < limit) {
      Runnable task = tasks.poll();
      if (task == null) {
        break;
      }
      taken++;
      consumer.accept(task);
    }
    return taken;
  }

  @OnShard
  boolean isEmpty() {
    return tasks.isEmpty();
  }

  /** Announces sleep; false, and awake, if there is something to take after all. */
  @OnShard
  boolean trySleep() {
    sleeping = true;
    mode.set(ASLEEP);
    if (tasks.isEmpty()) {
      return true;
    }
    endSleep();
    return false;
  }

  /** Ends the sleep; true if somebody else has ended it before, by ringing. */
  @OnShard
  boolean awake() {
    return sleeping && !endSleep();
  }

  private boolean endSleep() {
    sleeping = false;
    return mode.compareAndSet(ASLEEP, AWAKE);
  }

  /**
   * Refuses all that comes from now on, hands over what came before, and waits until nobody rings.
   */
  @OnShard
  void close(Consumer<Runnable> consumer) {
    synchronized (closing) {
      mode.set(CLOSED);
      for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
        consumer.accept(task);
      }
    }
    while (ringing.get() > 0) {
      Thread.onSpinWait();
    }
  }

  private static RejectedExecutionException ended() {
    return new RejectedExecutionException("the shard has ended");
  }
}
