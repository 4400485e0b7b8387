package io.penstock.shards;

import io.penstock.shards.core.AnyThread;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.SocketOption;
import io.penstock.shards.core.SocketOptions;
import io.penstock.shards.loop.StallDetector;
import io.penstock.shards.memory.SegmentSource;
import io.penstock.shards.memory.SharedSegmentPool;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.metrics.CounterSnapshot;
import io.penstock.shards.net.ConnectOptions;
import io.penstock.shards.net.ConnectionHandler;
import io.penstock.shards.net.ConnectionRef;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.net.ListenOptions.Accepting;
import io.penstock.shards.net.ListenerCore;
import io.penstock.shards.net.NetShard;
import io.penstock.shards.net.ShardListener;
import io.penstock.shards.os.Platform;
import io.penstock.shards.pinning.CpuClaims;
import io.penstock.shards.pinning.PinningInputs;
import io.penstock.shards.pinning.PinningPlan;
import io.penstock.shards.poller.ListenRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A fixed number of shards that carry connections.
 *
 * <p>Any thread may use it, but only threads that are no shard may call what waits: {@link #start},
 * {@link #listen} and {@link #close}.
 */
@AnyThread
public final class ShardGroup implements AutoCloseable {
  private static final Duration CLOSE_DRAIN = Duration.ofSeconds(5);

  private final Shard[] shards;
  private final NetShard[] nets;
  private final SharedSegmentPool shared;
  private final StallDetector stalls;
  private final CpuClaims.Claim claim;
  private final StartupReport report;
  private final HostResolver resolver;
  private final Connector connector;
  // Listeners that may have sockets to close or to move; few, and rarely changed.
  private final List<ListenerSockets> listeners = new CopyOnWriteArrayList<>();
  // Guards the two below, that no two shards stop as if the other went on, and that no listener
  // comes that the stop does not see.
  private final Object stopLock = new Object();
  // Set once by whoever stops the group; the same future for all who do.
  private CompletableFuture<Void> stopped;
  // The moves of listening sockets asked for so far; each begins when the one before has ended.
  private CompletableFuture<Void> moves = CompletableFuture.completedFuture(null);

  private ShardGroup(
      Shard[] shards,
      SharedSegmentPool shared,
      StallDetector stalls,
      CpuClaims.Claim claim,
      StartupReport report,
      String name) {
    this.shards = shards;
    this.nets = Arrays.stream(shards).map(Shard::net).toArray(NetShard[]::new);
    this.shared = shared;
    this.stalls = stalls;
    this.claim = claim;
    this.report = report;
    this.resolver = new HostResolver(name + "-resolver");
    this.connector = new Connector(shards, resolver);
  }

  /** Starts shards with the defaults. */
  public static ShardGroup start() {
    return start(ShardGroupOptions.defaults());
  }

  /**
   * Starts shards; they all run when this returns.
   *
   * @throws ShardStartException if the backend that was named, or every one, cannot run here
   * @throws IllegalArgumentException if a CPU was named that the process may not use
   */
  public static ShardGroup start(ShardGroupOptions options) {
    Objects.requireNonNull(options, "options");
    CpuClaims.Claim claim =
        CpuClaims.processWide()
            .claim(
                taken ->
                    PinningPlan.of(
                        PinningInputs.ofThisProcess(
                            options.shards(),
                            options.pinning(),
                            options.cpus().orElse(null),
                            taken)));
    boolean started = false;
    try {
      ShardGroup group = start(options, claim);
      started = true;
      return group;
    } finally {
      if (!started) {
        claim.close();
      }
    }
  }

  private static ShardGroup start(ShardGroupOptions options, CpuClaims.Claim claim) {
    GroupStart start = new GroupStart(options, claim.plan());
    GroupStart.Running running = start.run();
    List<StartupReport.ShardStart> starts = new ArrayList<>();
    for (int i = 0; i < running.unpinnedReasons().size(); i++) {
      String unpinned = running.unpinnedReasons().get(i);
      int cpu = unpinned.isEmpty() ? claim.plan().cpu(i) : PinningPlan.UNPINNED;
      starts.add(new StartupReport.ShardStart(i, cpu, unpinned.isEmpty() ? null : unpinned));
    }
    StartupReport report =
        new StartupReport(
            running.backend(),
            start.passedOver(),
            starts,
            start.spinNanos(),
            options.copyBelowBytes(),
            claim.plan().notes());
    return new ShardGroup(
        running.shards().toArray(Shard[]::new),
        running.shared(),
        running.stalls(),
        claim,
        report,
        options.name());
  }

  /** What it runs on, and why not on something better. */
  public StartupReport report() {
    return report;
  }

  public int shardCount() {
    return shards.length;
  }

  public Shard shard(int index) {
    return shards[index];
  }

  /** The counters of all shards together. */
  public CounterSnapshot counters() {
    CounterSnapshot sum = CounterSnapshot.ZERO;
    for (Shard shard : shards) {
      sum = sum.plus(shard.counters());
    }
    return sum;
  }

  /** Segments for threads that are no shard. */
  public SegmentSource segments() {
    return shared;
  }

  /** Segments of the group that are out: leased on shards, and by others. */
  public long segmentsOut() {
    return shared.leasedCount() + counters().get(Counter.SEGMENTS_OUT);
  }

  /**
   * Binds and begins to accept.
   *
   * @param handlers gives the handler of each connection; called on its shard
   * @throws IOException if the address cannot be bound or an option cannot be set; nothing is left
   * @throws RejectedExecutionException if the group stops or has stopped; nothing is left
   */
  public Listener listen(
      Endpoint endpoint, ListenOptions options, Supplier<? extends ConnectionHandler> handlers)
      throws IOException {
    Endpoint resolved = resolver.resolveNow(endpoint);
    requireUnixForAllowedPeers(resolved, options);
    boolean eachShard = acceptsOnEachShard(resolved, options);
    ListenerCore core =
        new ListenerCore(
            options, handlers, nets, eachShard && options.accepting() == Accepting.AUTO);
    SocketOptions socketOptions =
        eachShard ? options.listener().with(SocketOption.SO_REUSEPORT, true) : options.listener();
    return open(
        core,
        eachShard ? shards.length : 1,
        (shard, bound) ->
            ShardListener.open(
                shard.net(),
                core,
                new ListenRequest(
                    bound == null ? resolved : bound,
                    options.backlog(),
                    socketOptions,
                    options.accepted(),
                    options.unixMode(),
                    options.replaceStaleFile())));
  }

  /**
   * Accepts from a descriptor that is bound and listens already, such as an inherited one. It
   * passes to the group, which closes it.
   *
   * @throws IOException if it is no listening socket or the backend cannot take one
   * @throws RejectedExecutionException if the group stops or has stopped; then it stays the
   *     caller's
   */
  public Listener adopt(
      int descriptor, ListenOptions options, Supplier<? extends ConnectionHandler> handlers)
      throws IOException {
    ListenerCore core = new ListenerCore(options, handlers, nets, false);
    return open(
        core, 1, (shard, bound) -> ShardListener.adoptDescriptor(shard.net(), core, descriptor));
  }

  private static void requireUnixForAllowedPeers(Endpoint local, ListenOptions options)
      throws IOException {
    if (options.allowedPeers() != null && !local.isUnix()) {
      throw new IOException("only the peers of a Unix socket can be told apart, not of " + local);
    }
  }

  private interface Opening {
    ShardListener open(Shard shard, Endpoint bound) throws IOException;
  }

  private Listener open(ListenerCore core, int socketCount, Opening opening) throws IOException {
    ListenerSockets sockets = new ListenerSockets(core, listeners::remove);
    synchronized (stopLock) {
      if (stopped != null) {
        throw new RejectedExecutionException("the group has stopped");
      }
      listeners.add(sockets);
    }
    boolean complete = false;
    try {
      Endpoint bound = null;
      int opened = 0;
      for (int i = 0; i < shards.length && opened < socketCount; i++) {
        Shard shard = shards[i];
        if (shard.isStopping()) {
          continue;
        }
        Endpoint first = bound;
        Endpoint local = sockets.open(shard, () -> opening.open(shard, first));
        if (local != null) {
          opened++;
          bound = bound == null ? local : bound;
        }
      }
      if (bound == null) {
        throw new RejectedExecutionException("the group stops, or all its shards have ended");
      }
      complete = true;
      return new Listener(sockets, core, bound);
    } finally {
      if (!complete) {
        Futures.join(sockets.close());
      }
    }
  }

  /**
   * Unix sockets have no reuse-port (EOPNOTSUPP), other systems do not spread connections over such
   * sockets (socket(7)), and one shard needs none.
   */
  private boolean acceptsOnEachShard(Endpoint endpoint, ListenOptions options) throws IOException {
    boolean possible = endpoint instanceof Endpoint.Tcp && Platform.isLinux();
    if (options.accepting() == Accepting.EACH_SHARD && !possible) {
      throw new IOException("EACH_SHARD needs the reuse-port sockets of TCP on Linux: " + endpoint);
    }
    return possible && options.accepting() != Accepting.ACCEPTOR && shards.length > 1;
  }

  /**
   * As {@link #connect(int, Endpoint, ConnectOptions, ConnectionHandler)}, on each shard in turn
   * that goes on.
   */
  public CompletionStage<ConnectionRef> connect(
      Endpoint endpoint, ConnectOptions options, ConnectionHandler handler) {
    return connector.connect(endpoint, options, handler);
  }

  /**
   * Connects on that shard. Host names are resolved on a thread of their own.
   *
   * @return the connection once it is open; or the failure, of which the handler is told, too,
   *     unless the shard has ended
   * @throws IllegalArgumentException for a local address of another kind than the remote one
   */
  public CompletionStage<ConnectionRef> connect(
      int shard, Endpoint endpoint, ConnectOptions options, ConnectionHandler handler) {
    return connector.connect(shard, endpoint, options, handler);
  }

  /**
   * Stops one shard while the others go on. Its listening sockets move to another shard with those
   * who wait in their queues; its connections are closed in order, and aborted after that time.
   *
   * @throws IllegalStateException if it is the last one that runs; then stop the group
   */
  public CompletionStage<Void> stopShard(int index, Duration drain) {
    Shard stopping = shards[index];
    CompletableFuture<Void> moved;
    synchronized (stopLock) {
      if (heirOf(stopping).isEmpty()) {
        throw new IllegalStateException(stopping + " is the last one; stop the group");
      }
      stopping.announceStop();
      // One after the other: what moves to a shard that stops next moves on with the rest.
      moves = moves.thenCompose(before -> moveSockets(stopping));
      moved = moves;
    }
    return moved.thenCompose(done -> stopping.stop(nanos(drain))).minimalCompletionStage();
  }

  private Optional<Shard> heirOf(Shard stopping) {
    return Arrays.stream(shards)
        .filter(shard -> shard != stopping && !shard.isStopping())
        .findFirst();
  }

  private CompletableFuture<Void> moveSockets(Shard stopping) {
    Shard heir = heirOf(stopping).orElse(stopping);
    return CompletableFuture.allOf(
        listeners.stream()
            .map(sockets -> sockets.move(stopping, heir))
            .toArray(CompletableFuture<?>[]::new));
  }

  /**
   * Stops all in order: listeners take in who waits and close, connections flush and close, and are
   * aborted after that time; then the shards end.
   *
   * @return completes when nothing of the group is left
   */
  public CompletionStage<Void> stop(Duration drain) {
    Objects.requireNonNull(drain, "drain");
    synchronized (stopLock) {
      if (stopped == null) {
        stopped = stopAll(nanos(drain));
      }
      return stopped.minimalCompletionStage();
    }
  }

  private CompletableFuture<Void> stopAll(long drainNanos) {
    resolver.close();
    CompletableFuture<?>[] closing =
        listeners.stream().map(ListenerSockets::close).toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(closing)
        .handle((closed, failure) -> null)
        .thenCompose(
            closed ->
                CompletableFuture.allOf(
                    Arrays.stream(shards)
                        .map(shard -> shard.stop(drainNanos))
                        .toArray(CompletableFuture<?>[]::new)))
        .whenComplete(
            (ended, failure) -> {
              stalls.close();
              claim.close();
            });
  }

  /** Stops and waits, with 5 s for connections to drain. */
  @Override
  public void close() {
    stop(CLOSE_DRAIN).toCompletableFuture().join();
    for (Shard shard : shards) {
      try {
        shard.thread().join(TimeUnit.SECONDS.toMillis(5));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private static long nanos(Duration duration) {
    try {
      return Math.max(0, duration.toNanos());
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE;
    }
  }
}
