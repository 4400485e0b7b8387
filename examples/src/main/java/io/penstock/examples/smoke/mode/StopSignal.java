package io.penstock.examples.smoke.mode;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Says that a run is to end before it would by itself. Any thread. */
public final class StopSignal {
  private static final long POLL_MILLIS = 1;

  private final CountDownLatch stopped = new CountDownLatch(1);

  public void stop() {
    stopped.countDown();
  }

  public boolean isStopped() {
    return stopped.getCount() == 0;
  }

  /** Waits until then; true if the run is to end. */
  boolean awaitUntil(long deadlineNanos) {
    try {
      return stopped.await(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      stop();
      return true;
    }
  }

  /** Waits until that holds, or the run is to end, or the time is over; true if it holds. */
  boolean awaitThat(BooleanSupplier condition, long timeoutMillis) {
    long deadlineNanos = deadlineIn(timeoutMillis);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadlineNanos >= 0 || awaitUntil(deadlineIn(POLL_MILLIS))) {
        return condition.getAsBoolean();
      }
    }
    return true;
  }

  /** As {@link #awaitThat}, also if the run is to end: for what ends it. */
  static boolean awaitAnyway(BooleanSupplier condition, long timeoutMillis) {
    long deadlineNanos = deadlineIn(timeoutMillis);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadlineNanos >= 0 || Thread.currentThread().isInterrupted()) {
        return condition.getAsBoolean();
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS));
    }
    return true;
  }

  static long deadlineIn(long millis) {
    return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
  }
}
