package io.penstock.shards;

import io.penstock.shards.core.Backend;
import io.penstock.shards.loop.LoopOptions;
import io.penstock.shards.loop.ShardLoop;
import io.penstock.shards.loop.StallDetector;
import io.penstock.shards.loop.TimerQueue;
import io.penstock.shards.loop.TurnMonitor;
import io.penstock.shards.memory.SegmentPool;
import io.penstock.shards.memory.SharedSegmentPool;
import io.penstock.shards.metrics.ShardCounters;
import io.penstock.shards.net.NetShard;
import io.penstock.shards.pinning.PinningPlan;
import io.penstock.shards.poller.Poller;
import io.penstock.shards.poller.epoll.EpollPoller;
import io.penstock.shards.poller.nio.NioPoller;
import io.penstock.shards.poller.probe.BackendStatus;
import io.penstock.shards.poller.probe.NativeProbe;
import io.penstock.shards.poller.uring.UringPoller;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts all shards on one backend, or none. For the thread that starts the group. */
final class GroupStart {
  private static final Logger LOG = LoggerFactory.getLogger(GroupStart.class);

  /** With a CPU of its own, about what a halted CPU of a virtual machine takes to wake. */
  private static final long SPIN_NANOS = 20_000;

  private final ShardGroupOptions options;
  private final PinningPlan plan;
  private final List<StartupReport.PassedOver> passedOver = new ArrayList<>();

  GroupStart(ShardGroupOptions options, PinningPlan plan) {
    this.options = options;
    this.plan = plan;
  }

  /** All shards, of one backend, with what they share. Reasons are empty for shards as planned. */
  record Running(
      Backend backend,
      List<Shard> shards,
      List<String> unpinnedReasons,
      SharedSegmentPool shared,
      StallDetector stalls) {}

  /**
   * Starts the shards, all on one backend.
   *
   * @throws ShardStartException if the named backend, or every backend, cannot run; nothing is left
   *     open
   */
  Running run() {
    Throwable lastFailure = null;
    for (Backend backend : candidates()) {
      BackendStatus status = NativeProbe.status(backend);
      if (!status.available()) {
        passedOver.add(new StartupReport.PassedOver(backend, status.reason()));
        continue;
      }
      try {
        return run(openAll(backend), backend);
      } catch (IOException | RuntimeException | LinkageError e) {
        lastFailure = e;
        passedOver.add(new StartupReport.PassedOver(backend, reason(backend, e)));
      }
    }
    StringBuilder message = new StringBuilder();
    message.append(
        options.backend().isPresent()
            ? "backend " + options.backend().get() + " cannot run here"
            : "no backend can run here");
    for (StartupReport.PassedOver other : passedOver) {
      message.append("; ").append(other.backend()).append(": ").append(other.reason());
    }
    throw new ShardStartException(message.toString(), lastFailure);
  }

  private static String reason(Backend backend, Throwable failure) {
    return backend == Backend.NIO ? failure.toString() : NativeProbe.reasonFor(backend, failure);
  }

  private Running run(List<Poller> pollers, Backend backend) throws IOException {
    SharedSegmentPool shared =
        new SharedSegmentPool(pollers.get(0).memoryAddresses(), options.segmentBudgetBytes());
    List<TurnMonitor> monitors = new ArrayList<>();
    for (int i = 0; i < pollers.size(); i++) {
      monitors.add(new TurnMonitor(i, options.stallBudget()));
    }
    StallDetector stalls =
        new StallDetector(
            monitors,
            StallDetector.DEFAULT_REPORT_INTERVAL,
            System::nanoTime,
            options.stallListener());
    List<Shard> shards = shards(pollers, monitors);
    boolean complete = false;
    try {
      stalls.start();
      List<CompletableFuture<String>> starting = new ArrayList<>();
      for (Shard shard : shards) {
        starting.add(shard.start());
      }
      List<String> unpinnedReasons = new ArrayList<>();
      for (CompletableFuture<String> start : starting) {
        String unpinned = Futures.join(start);
        unpinnedReasons.add(unpinned == null ? "" : unpinned);
      }
      complete = true;
      return new Running(backend, shards, unpinnedReasons, shared, stalls);
    } finally {
      if (!complete) {
        for (Shard shard : shards) {
          shard.abandon();
        }
        stalls.close();
      }
    }
  }

  /** Better backends that were not taken, with the reasons, once the pollers are open. */
  List<StartupReport.PassedOver> passedOver() {
    return List.copyOf(passedOver);
  }

  private List<Backend> candidates() {
    return options.backend().map(List::of).orElse(List.of(Backend.values()));
  }

  /** A backend that fails for one shard is not used for any. */
  private List<Poller> openAll(Backend backend) throws IOException {
    List<Poller> opened = new ArrayList<>();
    boolean complete = false;
    try {
      for (int i = 0; i < plan.shardCount(); i++) {
        opened.add(open(backend));
      }
      complete = true;
      return opened;
    } finally {
      if (!complete) {
        opened.forEach(GroupStart::close);
      }
    }
  }

  private static void close(Poller poller) {
    try {
      poller.close();
    } catch (RuntimeException e) {
      LOG.warn("a poller of a start that failed was not closed", e);
    }
  }

  private Poller open(Backend backend) throws IOException {
    return switch (backend) {
      case IO_URING -> new UringPoller(options.ringEntries(), options.completionEntries());
      case EPOLL -> new EpollPoller();
      case NIO -> new NioPoller();
    };
  }

  /** The shards around their pollers, not started. */
  private List<Shard> shards(List<Poller> pollers, List<TurnMonitor> monitors) {
    List<Shard> shards = new ArrayList<>();
    for (int i = 0; i < pollers.size(); i++) {
      shards.add(shard(i, pollers.get(i), monitors.get(i)));
    }
    return shards;
  }

  private Shard shard(int index, Poller poller, TurnMonitor monitor) {
    ShardCounters counters = new ShardCounters();
    // The pool wakes the loop, which is made with the pool: the reference closes the circle.
    ShardLoop[] loop = new ShardLoop[1];
    SegmentPool pool =
        new SegmentPool(
            poller.memoryAddresses(),
            options.segmentBudgetBytes(),
            System::nanoTime,
            () -> loop[0].ring());
    loop[0] =
        new ShardLoop(
            poller,
            pool,
            loopOptions(),
            System::nanoTime,
            counters,
            monitor,
            failure -> LOG.error("a task of shard {} failed", index, failure));
    NetShard net =
        new NetShard(
            index,
            loop[0],
            poller,
            pool,
            options.maxConnectionsPerShard(),
            options.copyBelowBytes(),
            lease -> LOG.warn("{}", lease.describe()),
            (what, failure) -> LOG.error("{} failed on shard {}", what, index, failure));
    String threadName = options.name() + "-shard-" + index;
    return new Shard(index, plan.cpu(index), threadName, poller, pool, loop[0], net);
  }

  long spinNanos() {
    return options
        .spin()
        .map(TimerQueue::saturatedNanos)
        .orElse(plan.spinsByDefault() ? SPIN_NANOS : 0);
  }

  private LoopOptions loopOptions() {
    return new LoopOptions(
        spinNanos(), options.taskBudget().toNanos(), LoopOptions.defaults().inboxLimit());
  }
}
