package io.penstock.shards.loop;

import io.penstock.shards.core.AnyThread;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.memory.SegmentPool;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.metrics.ShardCounters;
import io.penstock.shards.poller.PollWait;
import io.penstock.shards.poller.Poller;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The loop of one shard. {@link #runTurn} is one turn; the shard's thread repeats it, and a test
 * may step it by hand with a clock and a poller of its own.
 *
 * <p>Any thread may {@link #execute}; all else belongs to the thread that called {@link #begin}.
 * What a task throws is handed to the error sink and ends nothing.
 */
@OnShard
public final class ShardLoop implements Executor {
  private final Poller poller;
  private final SegmentPool pool;
  private final LoopOptions options;
  private final LongSupplier nanoClock;
  private final ShardCounters counters;
  private final TurnMonitor monitor;
  private final Consumer<Throwable> errors;
  private final Inbox inbox;
  private final TimerQueue timers;
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private final Consumer<Runnable> toTasks = tasks::addLast;
  private final PollWait wait = new Wait();

  // Two lists each, so that what a flush or a resume adds waits for the next turn.
  private Flushable[] dirty = new Flushable[64];
  private int dirtyCount;
  private Runnable[] resumed = new Runnable[64];
  private int resumedCount;

  private Runnable poolRecovered = () -> {};
  private long nowNanos;
  private long spinUntilNanos;
  private long countedSystemCalls;
  // This turn has waited; and: it is waiting, as far as is known before the first event.
  private boolean parked;
  private boolean waiting;
  // Written once before the loop begins, read by others to learn whether they are on the shard: a
  // stale null only sends a task through the inbox.
  private Thread thread;
  private boolean ended;

  public ShardLoop(
      Poller poller,
      SegmentPool pool,
      LoopOptions options,
      LongSupplier nanoClock,
      ShardCounters counters,
      TurnMonitor monitor,
      Consumer<Throwable> errors) {
    this.poller = Objects.requireNonNull(poller, "poller");
    this.pool = Objects.requireNonNull(pool, "pool");
    this.options = Objects.requireNonNull(options, "options");
    this.nanoClock = Objects.requireNonNull(nanoClock, "nanoClock");
    this.counters = Objects.requireNonNull(counters, "counters");
    this.monitor = Objects.requireNonNull(monitor, "monitor");
    this.errors = Objects.requireNonNull(errors, "errors");
    this.inbox = new Inbox(poller::wakeUp);
    this.timers = new TimerQueue(new TimerWatch());
    this.nowNanos = nanoClock.getAsLong();
  }

  /** Has that run when the pool was empty and has segments again. Before the loop begins. */
  public void onPoolRecovered(Runnable action) {
    poolRecovered = Objects.requireNonNull(action, "action");
  }

  /** Makes the calling thread the shard's. */
  public void begin() throws IOException {
    thread = Thread.currentThread();
    pool.confineToCurrentThread();
    monitor.attach();
    poller.start();
    nowNanos = nanoClock.getAsLong();
    spinUntilNanos = nowNanos + options.spinNanos();
  }

  /**
   * One turn. The phases feed each other in this order, and each is bounded, so that none starves
   * another:
   *
   * <ol>
   *   <li>inbox: what other threads sent becomes tasks, what they released goes home;
   *   <li>poll: the kernel's news reach connections; waits here if nothing else is to be done;
   *       connections whose reading was put off go on;
   *   <li>tasks, up to the time budget;
   *   <li>timers that are due;
   *   <li>flush: all output of the phases above leaves, one write per connection.
   * </ol>
   *
   * @return how much was done; 0 for a turn that found nothing
   * @throws IOException if the poller failed and the shard cannot go on
   */
  public int runTurn() throws IOException {
    monitor.turnStarted(nowNanos);
    // An interrupt, perhaps one meant for a task, would make NIO close channels.
    Thread.interrupted();
    monitor.phase(Phase.INBOX);
    int arrived = inbox.drain(toTasks, options.inboxLimit());
    counters.add(Counter.INBOX_TASKS, arrived);
    int done = arrived + pool.takeReturns();
    if (pool.tryRecover()) {
      run(poolRecovered);
    }

    monitor.phase(Phase.POLL);
    parked = false;
    // Only those of earlier turns: who has reached its bound in this poll does not go on at once.
    int toResume = resumedCount;
    done += poller.poll(wait);
    if (inbox.awake()) {
      counters.increment(Counter.WAKE_UPS);
    }
    if (waiting) {
      woken();
    } else {
      nowNanos = nanoClock.getAsLong();
    }
    done += runResumed(toResume);

    monitor.phase(Phase.TASKS);
    done += runTasks();

    monitor.phase(Phase.TIMERS);
    int expired = timers.expire(nowNanos, options.inboxLimit());
    counters.add(Counter.TIMERS_FIRED, expired);
    done += expired;

    monitor.phase(Phase.FLUSH);
    Thread.interrupted();
    done += flushDirty();

    counters.increment(Counter.TURNS);
    counters.set(Counter.SEGMENTS_OUT, pool.leasedCount());
    long systemCalls = poller.systemCalls();
    counters.add(Counter.SYSTEM_CALLS, systemCalls - countedSystemCalls);
    countedSystemCalls = systemCalls;
    turnEnded();
    if (done > 0) {
      spinUntilNanos = nowNanos + options.spinNanos();
    } else if (!parked) {
      counters.increment(Counter.SPINS);
    }
    return done;
  }

  /**
   * Ends the loop: runs what was accepted, refuses all later, closes the poller and runs what that
   * brings. What tasks ask for meanwhile is refused, or it would never end.
   */
  public void end() {
    ended = true;
    inbox.close(toTasks);
    runAllTasks();
    try {
      poller.close();
    } finally {
      runAllTasks();
      pool.takeReturns();
      counters.set(Counter.SEGMENTS_OUT, pool.leasedCount());
      monitor.detach();
    }
  }

  /**
   * Runs a task on the shard: after this turn's poll when called there, through the inbox from
   * elsewhere.
   *
   * @throws RejectedExecutionException if the shard has ended; then the task does not run
   */
  @Override
  @AnyThread
  public void execute(Runnable task) {
    Objects.requireNonNull(task, "task");
    if (isShardThread()) {
      if (ended) {
        throw new RejectedExecutionException("the shard has ended");
      }
      tasks.addLast(task);
      return;
    }
    inbox.add(task);
  }

  /**
   * As {@link #execute}, but behind all that other threads have sent before, also when it is called
   * on the shard.
   *
   * @throws RejectedExecutionException if the shard has ended; then the task does not run
   */
  @AnyThread
  public void executeBehindOthers(Runnable task) {
    Objects.requireNonNull(task, "task");
    inbox.add(task);
  }

  /**
   * As {@link #execute} on the shard, for what the runtime itself owes: it runs even when the loop
   * is about to end.
   */
  public void later(Runnable duty) {
    tasks.addLast(duty);
  }

  /** Makes the shard look at its pool and its inbox. */
  @AnyThread
  public void ring() {
    inbox.ring();
  }

  @AnyThread
  public boolean isShardThread() {
    return Thread.currentThread() == thread;
  }

  /** The time of this turn, by {@link System#nanoTime} or a test's clock. */
  public long nowNanos() {
    return nowNanos;
  }

  /** The time now, asked of the clock: for deadlines that begin in the middle of a turn. */
  public long freshNanos() {
    return nanoClock.getAsLong();
  }

  public TimerQueue timers() {
    return timers;
  }

  public ShardCounters counters() {
    return counters;
  }

  /** Names what runs now, for stall reports. */
  public void running(Object what) {
    if (waiting) {
      woken();
    }
    monitor.running(what);
  }

  /** The wait is over: what it brought belongs to a turn again. */
  private void woken() {
    waiting = false;
    nowNanos = nanoClock.getAsLong();
    monitor.turnStarted(nowNanos);
    monitor.phase(Phase.POLL);
  }

  private void turnEnded() {
    // The next turn begins here: it is not charged with the end of this one.
    nowNanos = nanoClock.getAsLong();
    if (monitor.turnEnded(nowNanos)) {
      counters.increment(Counter.STALLS);
    }
  }

  /** Has that flushed at the end of the turn. The caller sees to it that it is asked once. */
  public void flushLater(Flushable flushable) {
    if (dirtyCount == dirty.length) {
      dirty = Arrays.copyOf(dirty, dirtyCount * 2);
    }
    dirty[dirtyCount++] = flushable;
  }

  /** Has that run in the next turn's poll phase. The caller sees to it that it is asked once. */
  public void resumeLater(Runnable reading) {
    if (resumedCount == resumed.length) {
      resumed = Arrays.copyOf(resumed, resumedCount * 2);
    }
    resumed[resumedCount++] = reading;
  }

  private int runResumed(int count) {
    for (int i = 0; i < count; i++) {
      run(resumed[i]);
    }
    resumedCount -= count;
    System.arraycopy(resumed, count, resumed, 0, resumedCount);
    Arrays.fill(resumed, resumedCount, resumedCount + count, null);
    return count;
  }

  private int runTasks() {
    int count = 0;
    long deadlineNanos = nowNanos + options.taskBudgetNanos();
    while (!tasks.isEmpty()) {
      run(tasks.pollFirst());
      count++;
      nowNanos = nanoClock.getAsLong();
      if (nowNanos - deadlineNanos >= 0) {
        break;
      }
    }
    counters.add(Counter.TASKS_RUN, count);
    return count;
  }

  private void runAllTasks() {
    while (!tasks.isEmpty()) {
      run(tasks.pollFirst());
    }
  }

  private void run(Runnable task) {
    monitor.running(task);
    try {
      task.run();
    } catch (Throwable t) {
      errors.accept(t);
    }
  }

  private int flushDirty() {
    int count = dirtyCount;
    for (int i = 0; i < count; i++) {
      try {
        dirty[i].flush();
      } catch (Throwable t) {
        errors.accept(t);
      }
    }
    dirtyCount -= count;
    System.arraycopy(dirty, count, dirty, 0, dirtyCount);
    Arrays.fill(dirty, dirtyCount, dirtyCount + count, null);
    return count;
  }

  /** Names the timers that run, and hands on what they throw. */
  private final class TimerWatch implements TimerQueue.Observer {
    @Override
    public void timerFires(Timer timer) {
      monitor.running(timer);
    }

    @Override
    public void timerFailed(Timer timer, Throwable failure) {
      errors.accept(failure);
    }
  }

  /** Lets the poller wait when nothing is ready here; asked again once its wake-up is armed. */
  private final class Wait implements PollWait {
    @Override
    public boolean mayWait() {
      if (!tasks.isEmpty() || dirtyCount > 0 || resumedCount > 0) {
        return false;
      }
      if (options.spinNanos() > 0 && nowNanos - spinUntilNanos < 0) {
        return false;
      }
      long deadlineNanos = timers.nextDeadlineNanos();
      if (deadlineNanos != Long.MAX_VALUE && deadlineNanos - nanoClock.getAsLong() <= 0) {
        return false;
      }
      if (!inbox.trySleep()) {
        return false;
      }
      if (pool.hasReturnsForStarved()) {
        inbox.awake();
        return false;
      }
      if (!waiting) {
        turnEnded();
        counters.increment(Counter.PARKS);
        parked = true;
        waiting = true;
      }
      return true;
    }

    @Override
    public long deadlineNanos() {
      return timers.nextDeadlineNanos();
    }
  }
}
