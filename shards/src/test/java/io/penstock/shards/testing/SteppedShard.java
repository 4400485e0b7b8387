package io.penstock.shards.testing;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.SocketOptions;
import io.penstock.shards.loop.LoopOptions;
import io.penstock.shards.loop.ShardLoop;
import io.penstock.shards.loop.TurnMonitor;
import io.penstock.shards.memory.LongLease;
import io.penstock.shards.memory.SegmentPool;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.metrics.ShardCounters;
import io.penstock.shards.net.ConnectOptions;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ConnectionHandler;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.net.ListenerCore;
import io.penstock.shards.net.NetShard;
import io.penstock.shards.net.ShardListener;
import io.penstock.shards.poller.ConnectRequest;
import io.penstock.shards.poller.ListenRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A shard without a thread and without a kernel: the test's thread runs its turns one by one, moves
 * its clock and plays its kernel.
 *
 * <p>Pools lease on the thread that made the shard, so that one shard at a time is made and stepped
 * by one thread; two shards need two threads.
 */
public final class SteppedShard {
  public static final long POOL_BYTES = 16L << 20;

  private final ManualClock clock = new ManualClock();
  private final FakePoller poller = new FakePoller();
  private final ShardCounters counters = new ShardCounters();
  private final TurnMonitor monitor = new TurnMonitor(0, Duration.ofMillis(50));
  private final List<Throwable> errors = new ArrayList<>();
  private final List<Throwable> handlerErrors = new ArrayList<>();
  private final List<LongLease> longLeases = new ArrayList<>();
  private final SegmentPool pool;
  private final ShardLoop loop;
  private final NetShard net;

  /** Parks at once, with a pool that is never empty, and copies no writes together. */
  public SteppedShard() {
    this(LoopOptions.defaults(), POOL_BYTES);
  }

  public SteppedShard(LoopOptions options, long poolBytes) {
    this(options, poolBytes, 0);
  }

  /** One whose writes below that length are copied together. */
  public SteppedShard(LoopOptions options, long poolBytes, int copyBelowBytes) {
    ShardLoop[] made = new ShardLoop[1];
    pool = new SegmentPool(poller.memoryAddresses(), poolBytes, clock, () -> made[0].ring());
    loop = new ShardLoop(poller, pool, options, clock, counters, monitor, errors::add);
    made[0] = loop;
    net =
        new NetShard(
            0,
            loop,
            poller,
            pool,
            Integer.MAX_VALUE,
            copyBelowBytes,
            longLeases::add,
            (connection, failure) -> handlerErrors.add(failure));
    try {
      loop.begin();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public ManualClock clock() {
    return clock;
  }

  public FakePoller poller() {
    return poller;
  }

  public ShardLoop loop() {
    return loop;
  }

  public NetShard net() {
    return net;
  }

  public SegmentPool pool() {
    return pool;
  }

  public long count(Counter counter) {
    return counters.get(counter);
  }

  /** What tasks and timers threw. */
  public List<Throwable> errors() {
    return errors;
  }

  /** What handlers threw where it ended no connection. */
  public List<Throwable> handlerErrors() {
    return handlerErrors;
  }

  /** Who was told of as holding segments for long. */
  public List<LongLease> longLeases() {
    return longLeases;
  }

  /** How many timers go on after the pool, too, has had time to come to rest. */
  public int timersLeftAfterLong() {
    for (int i = 0; i < 5; i++) {
      after(Duration.ofSeconds(11));
    }
    return loop.timers().size();
  }

  /** One turn; returns how much was done. */
  public int turn() {
    try {
      return loop.runTurn();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Turns until one does nothing; fails if none of so many does. */
  public void turnUntilIdle(int limit) {
    for (int i = 0; i < limit; i++) {
      if (turn() == 0) {
        return;
      }
    }
    throw new AssertionError("still busy after " + limit + " turns");
  }

  /** Turns until one does nothing. */
  public void turnUntilIdle() {
    turnUntilIdle(100);
  }

  /** Moves the clock and runs the turns that this brings. */
  public void after(Duration time) {
    clock.advance(time);
    turnUntilIdle();
  }

  /** A listener whose connections all get this handler. */
  public FakeListenSocket listen(ListenOptions options, ConnectionHandler handler) {
    ListenerCore core = new ListenerCore(options, () -> handler, new NetShard[] {net}, false);
    ListenRequest request =
        new ListenRequest(
            Endpoint.loopback(1),
            options.backlog(),
            options.listener(),
            options.accepted(),
            options.unixMode(),
            false);
    try {
      ShardListener.open(net, core, request);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return poller.listening().get(poller.listening().size() - 1);
  }

  /** An open connection, after the turn that accepted it. */
  public FakeStreamSocket accept(ListenOptions options, ConnectionHandler handler) {
    FakeStreamSocket socket = listen(options, handler).clientArrives();
    turn();
    return socket;
  }

  public FakeStreamSocket accept(ConnectionHandler handler) {
    return accept(ListenOptions.defaults(), handler);
  }

  /** Begins to connect; the socket decides how it goes on. */
  public Connection connect(
      FakeStreamSocket socket,
      ConnectOptions options,
      ConnectionHandler handler,
      Consumer<Connection> onDecided) {
    poller.connectWith(socket);
    ConnectRequest request =
        new ConnectRequest(Endpoint.loopback(9), options.local(), SocketOptions.none());
    return net.connect(request, options, handler, onDecided);
  }
}
