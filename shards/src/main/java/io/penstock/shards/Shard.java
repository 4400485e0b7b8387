package io.penstock.shards;

import io.penstock.shards.core.AnyThread;
import io.penstock.shards.loop.ShardLoop;
import io.penstock.shards.loop.Timer;
import io.penstock.shards.loop.TimerQueue;
import io.penstock.shards.memory.SegmentPool;
import io.penstock.shards.metrics.CounterSnapshot;
import io.penstock.shards.metrics.ShardCounters;
import io.penstock.shards.net.NetShard;
import io.penstock.shards.pinning.Affinity;
import io.penstock.shards.poller.Poller;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One shard of a group: a thread with its poller, pool and connections. */
@AnyThread
public final class Shard implements Executor {
  private static final Logger LOG = LoggerFactory.getLogger(Shard.class);

  private final int index;
  private final int cpu;
  private final Poller poller;
  private final SegmentPool pool;
  private final ShardLoop loop;
  private final NetShard net;
  private final ShardCounters counters;
  private final Thread thread;
  private final CompletableFuture<String> pinned = new CompletableFuture<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  // Shard-confined: set by the task that begins the stop.
  private boolean stopping;

  Shard(
      int index,
      int cpu,
      String threadName,
      Poller poller,
      SegmentPool pool,
      ShardLoop loop,
      NetShard net) {
    this.index = index;
    this.cpu = cpu;
    this.poller = poller;
    this.pool = pool;
    this.loop = loop;
    this.net = net;
    this.counters = loop.counters();
    this.thread = new Thread(this::run, threadName);
    thread.setDaemon(false);
  }

  /** Its number in the group, from 0. */
  public int index() {
    return index;
  }

  /**
   * Runs a task on the shard's thread.
   *
   * @throws RejectedExecutionException if the shard has ended; then the task does not run
   */
  @Override
  public void execute(Runnable task) {
    loop.execute(task);
  }

  /** True on the shard's own thread. */
  public boolean isShardThread() {
    return loop.isShardThread();
  }

  /** Its counters as they are now. */
  public CounterSnapshot counters() {
    return counters.snapshot();
  }

  /** The thread, for tools that look at it; not to be interrupted or joined. */
  public Thread thread() {
    return thread;
  }

  NetShard net() {
    return net;
  }

  boolean isStopping() {
    return net.isLeaving();
  }

  /** Nothing is to be moved here any more. */
  void announceStop() {
    net.leave();
  }

  /** Completes when the shard runs, with null or with why it is not pinned as planned. */
  CompletableFuture<String> start() {
    thread.start();
    return pinned;
  }

  /**
   * Ends the shard: its connections are closed in order, and after that time aborted.
   *
   * @return completes when the thread is about to end; nothing of the shard is left then
   */
  CompletableFuture<Void> stop(long drainNanos) {
    askToStop(drainNanos);
    return ended;
  }

  private void askToStop(long drainNanos) {
    announceStop();
    try {
      // Behind the connections that other shards have handed over.
      loop.executeBehindOthers(() -> beginStop(drainNanos));
    } catch (RejectedExecutionException e) {
      // It has ended already: the future below is complete or about to be.
      LOG.debug("shard {} was stopped before", index);
    }
  }

  /**
   * Ends a shard of a group that did not come to run, and waits for it. Also one that was not
   * started.
   */
  void abandon() {
    if (thread.getState() == Thread.State.NEW) {
      closePoller();
      return;
    }
    askToStop(0);
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void closePoller() {
    try {
      poller.close();
    } catch (RuntimeException e) {
      LOG.warn("the poller of shard {} was not closed", index, e);
    }
  }

  private void beginStop(long drainNanos) {
    if (stopping) {
      return;
    }
    stopping = true;
    net.stopAccepting();
    net.closeAll();
    Timer deadline = new Timer(net::endAll);
    loop.timers().schedule(deadline, TimerQueue.deadlineAfter(loop.freshNanos(), drainNanos));
  }

  private void run() {
    try {
      String unpinned = cpu < 0 ? null : Affinity.pinCurrentThread(cpu);
      loop.begin();
      pinned.complete(unpinned);
      loopUntilStopped();
    } catch (Throwable t) {
      if (!pinned.completeExceptionally(t)) {
        // It ran: nobody waits for it any more who could be told.
        LOG.error("shard {} ended by a failure of its own", index, t);
      }
      failed();
    } finally {
      end();
    }
  }

  private void loopUntilStopped() throws IOException {
    while (!stopping || net.openCount() > 0) {
      loop.runTurn();
    }
  }

  /** The poller is of no use any more: what is open ends without it. */
  private void failed() {
    net.stopAccepting();
    net.endAll();
  }

  private void end() {
    try {
      net.close();
      loop.end();
      if (pool.leasedCount() > 0) {
        LOG.warn("shard {} ended with {} segments still out", index, pool.leasedCount());
      }
      ended.complete(null);
    } catch (Throwable t) {
      ended.completeExceptionally(t);
    }
  }

  @Override
  public String toString() {
    return "shard " + index + " on " + poller.backend().label();
  }
}
