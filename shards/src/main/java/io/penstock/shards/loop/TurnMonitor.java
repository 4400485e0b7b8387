package io.penstock.shards.loop;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;

/**
 * Where a shard's loop leaves word of what it is doing, for the {@link StallDetector} to look at.
 *
 * <p>Thread: the loop's alone calls the public methods; the detector reads from its own.
 *
 * <p>The turn number is odd inside a turn and even between two. Everything is written with release
 * and read with acquire: a reader that finds the same odd number before and after has seen the
 * start of that turn and a stack out of that turn. Phase and task of a shard that hangs are exact;
 * of one that moves on while it is looked at, they may belong to neighbouring steps. Nothing here
 * needs more than release, as the loop never waits for what the detector does.
 */
public final class TurnMonitor {

  public static final Duration DEFAULT_BUDGET = Duration.ofMillis(50);

  private static final VarHandle NUMBERS = MethodHandles.arrayElementVarHandle(long[].class);
  private static final VarHandle OBJECTS = MethodHandles.arrayElementVarHandle(Object[].class);

  // The unused ends, at least 128 bytes each, keep the monitors of two shards, which are made
  // together and written all the time, off each other's cache lines.
  private static final int TURN = 16;
  private static final int STARTED_NANOS = 17;
  private static final int PHASE = 18;
  private static final int NUMBERS_LENGTH = 35;
  private static final int RUNNING = 32;
  private static final int OBJECTS_LENGTH = 65;

  private static final Phase[] PHASES = Phase.values();

  private final int shardIndex;
  private final long budgetNanos;
  private final long[] numbers = new long[NUMBERS_LENGTH];
  private final Object[] objects = new Object[OBJECTS_LENGTH];
  private long stallCount;

  // Volatile: the detector must not look at a thread that has left.
  private volatile Thread thread;

  // Volatile: hands the finished record over; written only after a stall.
  private volatile EndedStall lastStall;

  public TurnMonitor(int shardIndex, Duration budget) {
    if (budget.isZero() || budget.isNegative()) {
      throw new IllegalArgumentException(
          "budget of a turn of shard " + shardIndex + " is " + budget + ", must be more than 0");
    }
    this.shardIndex = shardIndex;
    this.budgetNanos = TimerQueue.saturatedNanos(budget);
    writePhase(Phase.IDLE);
  }

  /** The calling thread runs the turns from now on. */
  public void attach() {
    thread = Thread.currentThread();
  }

  /** No thread runs turns any more. */
  public void detach() {
    thread = null;
  }

  public int shardIndex() {
    return shardIndex;
  }

  public long budgetNanos() {
    return budgetNanos;
  }

  /** True between {@link #turnStarted} and {@link #turnEnded}. */
  public boolean inTurn() {
    return isInTurn(numbers[TURN]);
  }

  /** A turn begins, with the inbox. */
  public void turnStarted(long nowNanos) {
    assert !inTurn() : "shard " + shardIndex + " starts a turn inside turn " + numbers[TURN];
    NUMBERS.setRelease(numbers, STARTED_NANOS, nowNanos);
    writePhase(Phase.INBOX);
    NUMBERS.setRelease(numbers, TURN, numbers[TURN] + 1);
  }

  /** The turn goes on to this phase; nothing in particular is running yet. */
  public void phase(Phase phase) {
    assert inTurn() && phase != Phase.IDLE
        : "shard %d enters %s %s a turn"
            .formatted(shardIndex, phase, inTurn() ? "inside" : "outside");
    stopRunning();
    writePhase(phase);
  }

  /**
   * This task or handler is about to run. Kept until the next one, the next phase or the end of the
   * turn. A {@link Described} one may be asked for its description by the detector's thread.
   */
  public void running(Object what) {
    OBJECTS.setRelease(objects, RUNNING, what);
  }

  /**
   * The turn is over: the shard goes on to the next, or looks for work, or sleeps.
   *
   * @return whether the turn was a stall, longer than its budget; the shard counts it
   */
  public boolean turnEnded(long nowNanos) {
    long turn = numbers[TURN];
    assert isInTurn(turn) : "shard " + shardIndex + " ends a turn outside of one";
    long durationNanos = nowNanos - numbers[STARTED_NANOS];
    boolean stalled = durationNanos > budgetNanos;
    if (stalled) {
      lastStall = new EndedStall(++stallCount, turn, durationNanos, phase(), running());
    }
    stopRunning();
    writePhase(Phase.IDLE);
    NUMBERS.setRelease(numbers, TURN, turn + 1);
    return stalled;
  }

  // So that what ran is neither blamed for what follows nor kept from being collected.
  private void stopRunning() {
    if (objects[RUNNING] != null) {
      OBJECTS.setRelease(objects, RUNNING, (Object) null);
    }
  }

  // As a number, because storing a reference costs a barrier of the garbage collector.
  @SuppressWarnings("EnumOrdinal")
  private void writePhase(Phase phase) {
    NUMBERS.setRelease(numbers, PHASE, (long) phase.ordinal());
  }

  // What follows is for the detector.

  static boolean isInTurn(long turn) {
    return (turn & 1) != 0;
  }

  Thread thread() {
    return thread;
  }

  long turn() {
    return (long) NUMBERS.getAcquire(numbers, TURN);
  }

  long startedNanos() {
    return (long) NUMBERS.getAcquire(numbers, STARTED_NANOS);
  }

  @SuppressWarnings("EnumOrdinal")
  Phase phase() {
    return PHASES[(int) (long) NUMBERS.getAcquire(numbers, PHASE)];
  }

  /** The description of what runs, null if nothing was named. */
  String running() {
    Object what = OBJECTS.getAcquire(objects, RUNNING);
    return what == null ? null : Described.of(what);
  }

  /** The stall that ended last, null if there was none. */
  EndedStall lastStall() {
    return lastStall;
  }
}
