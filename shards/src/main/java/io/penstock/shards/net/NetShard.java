package io.penstock.shards.net;

import io.penstock.shards.core.AnyThread;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.loop.ShardLoop;
import io.penstock.shards.memory.LongLease;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.memory.SegmentPool;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.metrics.ShardCounters;
import io.penstock.shards.poller.AcceptedSocket;
import io.penstock.shards.poller.ConnectRequest;
import io.penstock.shards.poller.IoResult;
import io.penstock.shards.poller.Poller;
import io.penstock.shards.poller.SocketEvents;
import io.penstock.shards.poller.StreamSocket;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The connections of one shard, and what they share: the loop, the poller, the pool, the scratch
 * they receive into, the counters.
 */
@OnShard
public final class NetShard {
  private final int index;
  private final ShardLoop loop;
  private final Poller poller;
  private final SegmentPool pool;
  private final BiConsumer<String, Throwable> handlerErrors;
  private final ReadScratch scratch;
  private final SmallWrites smallWrites;
  private final ConnectionTable connections = new ConnectionTable();
  private final ResetWatch resetWatch;
  private final List<Inbound> starved = new ArrayList<>();
  private final int maxConnections;
  private long nextId = 1;
  private boolean stopping;
  // Volatile: set by whoever stops the shard, or by it when it fails; read by those who look for
  // one that goes on.
  private volatile boolean leaving;

  /**
   * Makes the network side of a shard.
   *
   * @param maxConnections connections it may have open; positive
   * @param copyBelowBytes length from which a segment is written by reference; 0 for always
   * @param longLeases told who has held segments for long
   * @param handlerErrors told what threw, where no connection is left to end, and what it threw
   */
  public NetShard(
      int index,
      ShardLoop loop,
      Poller poller,
      SegmentPool pool,
      int maxConnections,
      int copyBelowBytes,
      Consumer<LongLease> longLeases,
      BiConsumer<String, Throwable> handlerErrors) {
    this.index = index;
    this.loop = loop;
    this.poller = poller;
    this.pool = pool;
    this.maxConnections = maxConnections;
    this.handlerErrors = handlerErrors;
    this.scratch = new ReadScratch(pool);
    this.smallWrites = new SmallWrites(pool, loop.counters(), copyBelowBytes);
    LeakWatch.begin(loop, pool, longLeases);
    IdleMemory.begin(loop, pool);
    this.resetWatch = new ResetWatch(loop, connections, poller);
    loop.onPoolRecovered(this::resumeStarved);
  }

  public int index() {
    return index;
  }

  public ShardLoop loop() {
    return loop;
  }

  public SegmentPool pool() {
    return pool;
  }

  public Poller poller() {
    return poller;
  }

  /** Connections that are not over, those that connect included. */
  public int openCount() {
    return connections.size();
  }

  /**
   * Starts to connect.
   *
   * @param request with resolved addresses
   * @param onDecided told once, when the connection is open or has ended before
   */
  public Connection connect(
      ConnectRequest request,
      ConnectOptions options,
      ConnectionHandler handler,
      Consumer<Connection> onDecided) {
    if (stopping) {
      return failConnect(new CloseReason.ShardStopped(), options, handler, onDecided);
    }
    if (connections.size() >= maxConnections) {
      loop.counters().increment(Counter.REFUSED);
      IOException full =
          new IOException(
              "shard " + index + " has reached its limit of " + maxConnections + " connections");
      return failConnect(full, options, handler, onDecided);
    }
    Connection connection = create(handler, options.connection(), ConnectionState.CONNECTING);
    Connecting attempt = new Connecting(connection, request, options.timeout());
    connection
        .life()
        .onDecided(
            () -> {
              attempt.stop();
              onDecided.accept(connection);
            });
    attempt.start();
    return connection;
  }

  /** Tells the handler of a connect that could not even be tried. */
  public Connection failConnect(
      IOException cause,
      ConnectOptions options,
      ConnectionHandler handler,
      Consumer<Connection> onDecided) {
    return failConnect(new CloseReason.ConnectFailed(cause), options, handler, onDecided);
  }

  private Connection failConnect(
      CloseReason reason,
      ConnectOptions options,
      ConnectionHandler handler,
      Consumer<Connection> onDecided) {
    Connection connection = create(handler, options.connection(), ConnectionState.CONNECTING);
    connection.life().onDecided(() -> onDecided.accept(connection));
    connection.life().end(reason, true);
    return connection;
  }

  /** Opens a connection on a socket that was accepted, by this shard or by another. */
  void open(AcceptedSocket accepted, ListenerCore listener) {
    if (stopping && listener.tryPassOn(accepted, this)) {
      return;
    }
    if (stopping || connections.size() >= maxConnections || !allows(listener, accepted)) {
      loop.counters().increment(Counter.REFUSED);
      listener.refused(index);
      accepted.discard(true);
      return;
    }
    ConnectionHandler handler;
    try {
      handler = listener.newHandler();
    } catch (Throwable t) {
      accepted.discard(true);
      listener.released(index);
      applicationFailed("the supplier of handlers", t);
      return;
    }
    Connection connection =
        create(handler, listener.options().connection(), ConnectionState.CONNECTING);
    connection.setListener(listener);
    try {
      connection.setSocket(poller.adopt(accepted, new Events(connection, null)));
    } catch (IOException e) {
      connection.life().end(new CloseReason.Failed(e), true);
      return;
    } catch (RuntimeException e) {
      connection.brokenBy(e);
      return;
    }
    loop.counters().increment(Counter.ACCEPTED);
    connection.life().open();
  }

  private boolean allows(ListenerCore listener, AcceptedSocket accepted) {
    try {
      return listener.allows(accepted);
    } catch (Throwable t) {
      applicationFailed("the choice of allowed peers", t);
      return false;
    }
  }

  void connectSocket(Connection connection, Connecting attempt, ConnectRequest request)
      throws IOException {
    Events events = new Events(connection, attempt);
    StreamSocket socket = poller.connect(request, events);
    connection.setSocket(socket);
    int result = socket.connectResult();
    if (result != IoResult.PENDING) {
      // Told like one that takes longer, so that no callback runs inside connect.
      loop.later(() -> events.onConnected(result));
    }
  }

  /** Gives up a socket whose connect is to be tried again. Nothing of it is in flight. */
  void dropSocket(Connection connection) {
    StreamSocket socket = connection.socket();
    connection.setSocket(null);
    socket.close(false);
  }

  /** From now on connections are to be placed elsewhere, if there is another shard. */
  @AnyThread
  public void leave() {
    leaving = true;
  }

  /** It has stopped or is about to. */
  @AnyThread
  public boolean isLeaving() {
    return leaving;
  }

  /** Refuses new connections; those there are go on. */
  public void stopAccepting() {
    leaving = true;
    stopping = true;
  }

  /** Closes all connections in order. */
  public void closeAll() {
    connections.forEach(connection -> connection.life().close());
  }

  /** Ends all connections now. */
  public void endAll() {
    connections.forEach(connection -> connection.life().end(new CloseReason.ShardStopped(), true));
  }

  /** Gives back what the shard itself holds; when no connection is left. */
  public void close() {
    scratch.close();
  }

  SmallWrites smallWrites() {
    return smallWrites;
  }

  ReadScratch scratch() {
    return scratch;
  }

  ShardCounters counters() {
    return loop.counters();
  }

  void requireOnShard(Connection connection) {
    if (!loop.isShardThread()) {
      throw new IllegalStateException(
          connection
              + " belongs to the thread of its shard, but was called on "
              + Thread.currentThread().getName()
              + "; use its ref()");
    }
  }

  void onPoolEmpty(Inbound reader) {
    counters().increment(Counter.POOL_WAITS);
    starved.add(reader);
  }

  void applicationFailed(String what, Throwable cause) {
    counters().increment(Counter.HANDLER_FAILURES);
    handlerErrors.accept(what, cause);
  }

  void forget(Connection connection) {
    connections.remove(connection);
    counters().set(Counter.OPEN, connections.size());
    counters().increment(Counter.CLOSED);
    ListenerCore listener = connection.listener();
    if (listener != null) {
      listener.released(index);
    }
  }

  ResetWatch resetWatch() {
    return resetWatch;
  }

  private Connection create(
      ConnectionHandler handler, ConnectionOptions options, ConnectionState state) {
    Connection connection = new Connection(this, nextId++, handler, options, state);
    connections.add(connection);
    counters().set(Counter.OPEN, connections.size());
    return connection;
  }

  private void resumeStarved() {
    List<Inbound> readers = List.copyOf(starved);
    starved.clear();
    for (Inbound reader : readers) {
      reader.onPoolRecovered();
    }
  }

  /** Passes a socket's events on to the parts of its connection. */
  private static final class Events implements SocketEvents {
    private final Connection connection;
    private final Connecting attempt;

    Events(Connection connection, Connecting attempt) {
      this.connection = connection;
      this.attempt = attempt;
    }

    @Override
    public void onConnected(int result) {
      connection.shard.loop().running(connection);
      if (connection.isLive()) {
        attempt.onConnected(result);
      }
    }

    @Override
    public void onReadable(boolean ended) {
      connection.shard.loop().running(connection);
      if (connection.isLive()) {
        connection.in.onReadable(ended);
      }
    }

    @Override
    public boolean onReceived(Segment lent) {
      connection.shard.loop().running(connection);
      return !connection.isLive() || connection.in.tryReceived(lent);
    }

    @Override
    public void onReceiveEnded(int result) {
      connection.shard.loop().running(connection);
      if (connection.isLive() && result != IoResult.ECANCELED) {
        connection.in.onReceiveEnded(result);
      }
    }

    @Override
    public void onWritable() {
      connection.shard.loop().running(connection);
      if (connection.isLive()) {
        connection.out.onWritable();
      }
    }

    @Override
    public void onWritten(int result) {
      connection.shard.loop().running(connection);
      connection.out.onWritten(result);
    }

    @Override
    public void onBroken(int result) {
      connection.shard.loop().running(connection);
      if (connection.isLive()) {
        connection.failed(result);
      }
    }

    @Override
    public void onReleased() {
      // A live connection gives up a socket only to try another.
      if (!connection.isLive()) {
        connection.life().onReleased();
      }
    }
  }
}
