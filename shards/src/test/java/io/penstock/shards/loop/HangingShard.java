package io.penstock.shards.loop;

import static org.awaitility.Awaitility.await;

import io.penstock.shards.testing.ManualClock;
import java.time.Duration;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;

/** A thread that hangs where the test wants it to, and goes on when the test lets it. */
final class HangingShard implements AutoCloseable {

  private static final Duration UNEXPECTED = Duration.ofSeconds(10);
  private static final Duration LOOK = Duration.ofMillis(1);

  private final TurnMonitor monitor;
  private final ManualClock clock;
  private final SynchronousQueue<Runnable> commands = new SynchronousQueue<>();
  private final SynchronousQueue<Boolean> outcomes = new SynchronousQueue<>();
  private final SynchronousQueue<Boolean> release = new SynchronousQueue<>();
  private final Thread thread;
  private boolean hanging;
  private boolean ending;

  HangingShard(TurnMonitor monitor, ManualClock clock) {
    this.monitor = monitor;
    this.clock = clock;
    this.thread = new Thread(this::run, "hanging-shard-" + monitor.shardIndex());
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns when the thread hangs, inside a turn. */
  void hangIn(Phase phase, Object what) throws InterruptedException {
    command(
        () -> {
          monitor.turnStarted(clock.getAsLong());
          monitor.phase(phase);
          if (what != null) {
            monitor.running(what);
          }
          hang();
          answer(monitor.turnEnded(clock.getAsLong()));
        });
  }

  /** Returns when the thread hangs, after a whole turn. */
  void hangBetweenTurns() throws InterruptedException {
    command(
        () -> {
          monitor.turnStarted(clock.getAsLong());
          monitor.turnEnded(clock.getAsLong());
          hang();
          answer(false);
        });
  }

  /** Lets the thread go on; returns what the end of its turn said about a stall. */
  boolean letGo() throws InterruptedException {
    hanging = false;
    if (!release.offer(true, UNEXPECTED.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError(thread + " does not hang");
    }
    Boolean stalled = outcomes.poll(UNEXPECTED.toSeconds(), TimeUnit.SECONDS);
    if (stalled == null) {
      throw new AssertionError(thread + " did not end its turn within " + UNEXPECTED);
    }
    return stalled;
  }

  @Override
  public void close() {
    try {
      if (hanging) {
        letGo();
      }
      commands.put(() -> ending = true);
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void command(Runnable command) throws InterruptedException {
    if (!commands.offer(command, UNEXPECTED.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError(thread + " is not ready for a command");
    }
    hanging = true;
    await().atMost(UNEXPECTED).pollDelay(Duration.ZERO).pollInterval(LOOK).until(this::hangs);
  }

  private boolean hangs() {
    for (StackTraceElement frame : thread.getStackTrace()) {
      if (frame.getMethodName().equals("hang")) {
        return thread.getState() == Thread.State.WAITING;
      }
    }
    return false;
  }

  private void run() {
    monitor.attach();
    while (!ending) {
      take(commands).run();
    }
    monitor.detach();
  }

  private void hang() {
    take(release);
  }

  private void answer(boolean stalled) {
    try {
      outcomes.put(stalled);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static <T> T take(SynchronousQueue<T> queue) {
    try {
      return queue.take();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
