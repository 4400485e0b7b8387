package io.penstock.shards.loop;

import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * The timers of one shard: a four-way heap in which each timer knows its place, so that moving or
 * cancelling one costs as little as adding it.
 *
 * <p>Thread: the shard's alone. Allocates only when more timers are queued than ever before.
 * Failure: a timer that throws is handed to the observer, and the others run.
 *
 * <p>Deadlines are instants of {@link System#nanoTime}, whose numbers may be negative and wrap
 * around, so they are compared by difference only, which is right as long as all of them lie less
 * than half the range of a long apart. {@link #deadlineAfter} sees to that: what lies further away
 * than {@link #MAX_DELAY_NANOS} is {@link #NEVER}, and that is never queued.
 */
public final class TimerQueue {

  /** The deadline that does not come. No other deadline may have this value. */
  public static final long NEVER = Long.MAX_VALUE;

  /** The longest delay that still ends; about 73 years. */
  public static final long MAX_DELAY_NANOS = Long.MAX_VALUE / 4;

  /** Hears what the queue runs. */
  @FunctionalInterface
  public interface Observer {

    /** The timer threw; it is no longer queued unless it scheduled itself again. */
    void timerFailed(Timer timer, Throwable failure);

    /** The timer is about to run. */
    default void timerFires(Timer timer) {}
  }

  private static final int INITIAL_CAPACITY = 16;

  private final Observer observer;
  private Timer[] heap = new Timer[INITIAL_CAPACITY];
  private int size;
  private long nextSequence;
  private boolean expiring;
  private long passDeadlineNanos;

  public TimerQueue(Observer observer) {
    if (observer == null) {
      throw new IllegalArgumentException("a timer queue needs an observer for timers that fail");
    }
    this.observer = observer;
  }

  /**
   * The deadline after a delay. Zero and negative delays are due at once; delays beyond {@link
   * #MAX_DELAY_NANOS} never end. The deadline is never earlier than asked for.
   */
  public static long deadlineAfter(long nowNanos, long delayNanos) {
    if (delayNanos > MAX_DELAY_NANOS) {
      return NEVER;
    }
    long deadlineNanos = nowNanos + Math.max(0, delayNanos);
    // One late rather than taken for NEVER.
    return deadlineNanos == NEVER ? NEVER + 1 : deadlineNanos;
  }

  /** The nanoseconds of a duration; the nearest long where they do not fit. */
  public static long saturatedNanos(Duration duration) {
    try {
      return duration.toNanos();
    } catch (ArithmeticException tooLarge) {
      return duration.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }

  /**
   * Makes the timer fire at the deadline instead of whenever it was to fire before. With {@link
   * #NEVER} it is taken out. Scheduled while timers run, it runs in a later pass, even if it is due
   * already, so that a timer which repeats without delay cannot hold up the turn.
   *
   * @throws IllegalStateException if another queue holds the timer
   */
  public void schedule(Timer timer, long deadlineNanos) {
    requireNotElsewhere(timer);
    if (deadlineNanos == NEVER) {
      cancel(timer);
      return;
    }
    // Without this, a timer scheduled for the past would come before those that are due already.
    boolean past = expiring && deadlineNanos - passDeadlineNanos < 0;
    timer.deadlineNanos = past ? passDeadlineNanos : deadlineNanos;
    timer.sequence = nextSequence++;
    if (timer.isScheduled()) {
      restoreOrder(timer);
    } else {
      add(timer);
    }
  }

  /**
   * Takes the timer out.
   *
   * @return whether it was queued; if not, nothing happens
   * @throws IllegalStateException if another queue holds the timer
   */
  public boolean cancel(Timer timer) {
    requireNotElsewhere(timer);
    if (!timer.isScheduled()) {
      return false;
    }
    remove(timer);
    return true;
  }

  /** Takes all timers out, in no particular order, and hands each to the consumer. */
  public void cancelAll(Consumer<? super Timer> cancelled) {
    Timer[] timers = heap;
    int count = size;
    heap = new Timer[INITIAL_CAPACITY];
    size = 0;
    for (int i = 0; i < count; i++) {
      forget(timers[i]);
    }
    for (int i = 0; i < count; i++) {
      cancelled.accept(timers[i]);
    }
  }

  public int size() {
    return size;
  }

  /** The deadline of the next timer; {@link #NEVER} when there is none. */
  public long nextDeadlineNanos() {
    return size == 0 ? NEVER : heap[0].deadlineNanos;
  }

  /** How long until the next timer is due: 0 if one is, {@link #NEVER} when there is none. */
  public long nextDelayNanos(long nowNanos) {
    return size == 0 ? NEVER : Math.max(0, heap[0].deadlineNanos - nowNanos);
  }

  /**
   * Runs the timers that are due, in the order of their deadlines, equal ones in the order in which
   * they were scheduled.
   *
   * @param limit how many at most; the rest stays due
   * @return how many ran, failed ones included
   * @throws IllegalStateException if a timer of this queue calls it
   */
  public int expire(long nowNanos, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit of timers in a pass is " + limit + ", must be > 0");
    }
    if (expiring) {
      throw new IllegalStateException("expire was called by a timer that it runs");
    }
    int fired = 0;
    long firstSequenceOfNextPass = nextSequence;
    passDeadlineNanos = deadlineAfter(nowNanos, 0);
    expiring = true;
    try {
      while (fired < limit && size > 0) {
        Timer timer = heap[0];
        if (timer.deadlineNanos - nowNanos > 0 || timer.sequence >= firstSequenceOfNextPass) {
          break;
        }
        remove(timer);
        fired++;
        fire(timer);
      }
    } finally {
      expiring = false;
    }
    return fired;
  }

  // Whatever a timer throws, errors included, is the observer's to judge.
  private void fire(Timer timer) {
    observer.timerFires(timer);
    try {
      timer.fire();
    } catch (Throwable failure) {
      observer.timerFailed(timer, failure);
    }
  }

  private void requireNotElsewhere(Timer timer) {
    if (timer.queue != null && timer.queue != this) {
      throw new IllegalStateException(
          timer.describe() + " is scheduled in the queue of another shard; cancel it there first");
    }
  }

  private void add(Timer timer) {
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, size * 2);
    }
    timer.queue = this;
    siftUp(timer, size++);
  }

  private void remove(Timer timer) {
    int index = timer.heapIndex;
    assert heap[index] == timer : timer.describe() + " is not at its place " + index;
    Timer last = heap[--size];
    heap[size] = null;
    forget(timer);
    if (last != timer) {
      place(last, index);
      restoreOrder(last);
    }
  }

  private static void forget(Timer timer) {
    timer.queue = null;
    timer.heapIndex = Timer.NOT_QUEUED;
    timer.deadlineNanos = NEVER;
  }

  private void restoreOrder(Timer timer) {
    int index = timer.heapIndex;
    siftUp(timer, index);
    if (timer.heapIndex == index) {
      siftDown(timer, index);
    }
  }

  private void siftUp(Timer timer, int start) {
    int index = start;
    while (index > 0) {
      int parent = (index - 1) >> 2;
      if (!isBefore(timer, heap[parent])) {
        break;
      }
      place(heap[parent], index);
      index = parent;
    }
    place(timer, index);
  }

  private void siftDown(Timer timer, int start) {
    int index = start;
    while (true) {
      int earliest = earliestChild(index);
      if (earliest < 0 || !isBefore(heap[earliest], timer)) {
        break;
      }
      place(heap[earliest], index);
      index = earliest;
    }
    place(timer, index);
  }

  private int earliestChild(int parent) {
    int first = (parent << 2) + 1;
    if (first >= size) {
      return -1;
    }
    int end = Math.min(first + 4, size);
    int earliest = first;
    for (int child = first + 1; child < end; child++) {
      if (isBefore(heap[child], heap[earliest])) {
        earliest = child;
      }
    }
    return earliest;
  }

  private void place(Timer timer, int index) {
    heap[index] = timer;
    timer.heapIndex = index;
  }

  private static boolean isBefore(Timer a, Timer b) {
    long differenceNanos = a.deadlineNanos - b.deadlineNanos;
    return differenceNanos < 0 || (differenceNanos == 0 && a.sequence < b.sequence);
  }
}
