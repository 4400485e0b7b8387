package io.penstock.shards;

import io.penstock.shards.core.Backend;
import io.penstock.shards.loop.LoopOptions;
import io.penstock.shards.loop.ShardLoop;
import io.penstock.shards.loop.TimerQueue;
import io.penstock.shards.loop.TurnMonitor;
import io.penstock.shards.memory.SegmentPool;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the pollers of all shards on one backend, or on none, and starts the threads. */
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

  /**
   * One poller per shard, all of one backend.
   *
   * @throws ShardStartException if the named backend, or every backend, cannot run; nothing is left
   *     open
   */
  List<Poller> openPollers() {
    Throwable lastFailure = null;
    for (Backend backend : candidates()) {
      BackendStatus status = NativeProbe.status(backend);
      if (!status.available()) {
        passedOver.add(new StartupReport.PassedOver(backend, status.reason()));
        continue;
      }
      try {
        return openAll(backend);
      } catch (IOException | RuntimeException | LinkageError e) {
        lastFailure = e;
        passedOver.add(new StartupReport.PassedOver(backend, e.toString()));
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
        opened.forEach(Poller::close);
      }
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
  Shard[] shards(List<Poller> pollers, List<TurnMonitor> monitors) {
    Shard[] shards = new Shard[pollers.size()];
    for (int i = 0; i < shards.length; i++) {
      shards[i] = shard(i, pollers.get(i), monitors.get(i));
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
