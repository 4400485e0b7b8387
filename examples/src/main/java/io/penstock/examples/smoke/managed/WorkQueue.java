package io.penstock.examples.smoke.managed;

import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Connections that a worker is to look after. Any thread adds, workers take. */
final class WorkQueue {
  // Guards all that follows.
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition added = lock.newCondition();
  private final ArrayDeque<ManagedConnection> waiting = new ArrayDeque<>();
  private int sleepers;
  private boolean closed;
  private long parks;
  private long wakeUps;

  void add(ManagedConnection connection) {
    lock.lock();
    try {
      waiting.addLast(connection);
      if (sleepers > 0) {
        wakeUps++;
        added.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** The next one, or null once the queue is closed and empty. */
  ManagedConnection take() {
    lock.lock();
    try {
      while (waiting.isEmpty() && !closed) {
        parks++;
        sleepers++;
        added.awaitUninterruptibly();
        sleepers--;
      }
      return waiting.pollFirst();
    } finally {
      lock.unlock();
    }
  }

  /** Workers end once nothing is left. */
  void close() {
    lock.lock();
    try {
      closed = true;
      added.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Times a worker went to sleep. */
  long parks() {
    lock.lock();
    try {
      return parks;
    } finally {
      lock.unlock();
    }
  }

  /** Times one was woken. */
  long wakeUps() {
    lock.lock();
    try {
      return wakeUps;
    } finally {
      lock.unlock();
    }
  }
}
