package io.penstock.shards.loop;

/**
 * Something to run at a deadline; also its own place in a {@link TimerQueue}, so that scheduling it
 * allocates nothing. Made once, scheduled as often as needed.
 *
 * <p>Thread: that of the shard whose queue it is in. Failure: what {@link #fire} throws goes to the
 * observer of the queue; the timer can be scheduled again.
 */
public class Timer implements Described {

  static final int NOT_QUEUED = -1;

  private final Runnable task;

  // Written by the queue alone.
  TimerQueue queue;
  int heapIndex = NOT_QUEUED;
  long deadlineNanos = TimerQueue.NEVER;
  long sequence;

  public Timer(Runnable task) {
    if (task == null) {
      throw new IllegalArgumentException("a timer needs a task");
    }
    this.task = task;
  }

  /** For subclasses, which override {@link #fire}. */
  protected Timer() {
    this.task = null;
  }

  /** Runs at the deadline, when the timer has already left the queue. */
  protected void fire() {
    if (task == null) {
      throw new IllegalStateException(
          getClass().getName() + " has neither a task nor a fire() of its own");
    }
    task.run();
  }

  /** True while a queue holds it. A timer scheduled for {@link TimerQueue#NEVER} is not held. */
  public final boolean isScheduled() {
    return heapIndex != NOT_QUEUED;
  }

  /** When it fires, by the clock of its queue; {@link TimerQueue#NEVER} if it is not scheduled. */
  public final long deadlineNanos() {
    return deadlineNanos;
  }

  @Override
  public String describe() {
    return "timer " + (task == null ? getClass().getName() : Described.of(task));
  }
}
