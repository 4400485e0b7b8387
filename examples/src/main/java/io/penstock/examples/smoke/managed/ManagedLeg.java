package io.penstock.examples.smoke.managed;

import io.penstock.examples.smoke.count.Lanes;
import io.penstock.examples.smoke.count.Role;
import io.penstock.examples.smoke.wire.Effective;
import io.penstock.examples.smoke.wire.Leg;
import io.penstock.examples.smoke.wire.LegCost;
import io.penstock.examples.smoke.wire.Peer;
import io.penstock.examples.smoke.wire.Remote;
import io.penstock.shards.core.Endpoint;
import java.io.IOException;
import java.nio.channels.Channel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Both ends on one selector thread and a pool of workers, none of them pinned: what one writes
 * without shards, as the measure of what they bring.
 */
public final class ManagedLeg implements Leg {
  private static final Logger LOG = LoggerFactory.getLogger(ManagedLeg.class);

  private static final long END_WAIT_MILLIS = TimeUnit.SECONDS.toMillis(5);

  private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long CLOSE_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Selector selector;
  private final Thread selectorThread = new Thread(this::select, "penstock-smoke-selector");
  private final List<Thread> workers = new ArrayList<>();
  private final WorkQueue queue = new WorkQueue();
  private final Lanes lanes;
  private final ManagedPoker poker;
  private final int maxConnections;
  // Added to by the thread that connects and the selector thread, taken off by workers.
  private final Set<ManagedConnection> connections = ConcurrentHashMap.newKeySet();
  private final List<ManagedListener> listeners = new ArrayList<>();
  // Added to by all of the leg's threads.
  private final LongAdder systemCalls = new LongAdder();
  private final LongAdder selectorWakeUps = new LongAdder();
  // Written by the selector thread alone, read by who reports.
  private final LongAdder selectorParks = new LongAdder();
  // Volatile: set by whoever closes.
  private volatile boolean closing;

  private ManagedLeg(Selector selector, int workerCount, int maxConnections, boolean poke) {
    this.selector = selector;
    this.lanes = new Lanes(workerCount);
    this.maxConnections = maxConnections;
    this.poker = poke ? new ManagedPoker() : null;
    for (int i = 0; i < workerCount; i++) {
      int worker = i;
      workers.add(new Thread(() -> work(worker), "penstock-smoke-worker-" + i));
    }
  }

  /**
   * Starts the threads, as many workers as there are processors.
   *
   * @param maxConnections of both ends together; later ones are refused at accept
   * @param poke whether a thread is needed that sends out of band
   */
  public static ManagedLeg start(int maxConnections, boolean poke) throws IOException {
    int workerCount = Runtime.getRuntime().availableProcessors();
    ManagedLeg leg = new ManagedLeg(Selector.open(), workerCount, maxConnections, poke);
    leg.selectorThread.start();
    leg.workers.forEach(Thread::start);
    if (poke) {
      leg.poker.start();
    }
    return leg;
  }

  @Override
  public Effective effective() {
    return new Effective("managed", 1, 0, "none", 0, lanes.count(), List.of());
  }

  @Override
  public Lanes lanes() {
    return lanes;
  }

  @Override
  public Endpoint listen(Endpoint endpoint, Supplier<? extends Peer> servers) throws IOException {
    return add(ManagedListener.bind(endpoint), servers);
  }

  @Override
  public Adopted adopt(Endpoint endpoint, Supplier<? extends Peer> servers) throws IOException {
    Channel inherited = System.inheritedChannel();
    if (!(inherited instanceof ServerSocketChannel channel)) {
      throw new IOException(
          "managed adopts only a listening socket that the process inherited as descriptor 0: the"
              + " JDK hands out no descriptors");
    }
    return new Adopted(0, add(ManagedListener.of(channel), servers));
  }

  private Endpoint add(ManagedListener listener, Supplier<? extends Peer> servers)
      throws IOException {
    listeners.add(listener);
    Runnable accept = () -> accept(listener, servers);
    listener.channel().register(selector, SelectionKey.OP_ACCEPT, accept);
    selector.wakeup();
    return listener.local();
  }

  @Override
  public CompletionStage<Remote> connect(Endpoint endpoint, Supplier<? extends Peer> clients) {
    CompletableFuture<Remote> connected = new CompletableFuture<>();
    try {
      SocketChannel channel = ManagedSockets.connect(endpoint);
      called();
      register(
          new ManagedConnection(
              this, channel, endpoint.isUnix(), Role.CLIENT, clients.get(), connected));
    } catch (IOException e) {
      connected.completeExceptionally(e);
    }
    return connected;
  }

  private void accept(ManagedListener listener, Supplier<? extends Peer> servers) {
    boolean unix = listener.local().isUnix();
    try {
      for (SocketChannel channel = listener.accept();
          channel != null;
          channel = listener.accept()) {
        called();
        if (connections.size() >= maxConnections) {
          ManagedSockets.reset(channel, unix);
          continue;
        }
        ManagedSockets.prepare(channel, unix);
        register(
            new ManagedConnection(
                this, channel, unix, Role.SERVER, servers.get(), new CompletableFuture<>()));
      }
      called();
    } catch (IOException e) {
      LOG.warn("{} could not accept", listener.local(), e);
    }
  }

  /** The selector is to wait for nothing yet: the first worker says for what. */
  private void register(ManagedConnection connection) throws IOException {
    connections.add(connection);
    connection.setKey(connection.channel().register(selector, 0, connection));
    connection.schedule();
  }

  private void select() {
    try {
      while (!closing) {
        called();
        selectorParks.increment();
        selector.select(ManagedLeg::ready);
      }
    } catch (IOException e) {
      LOG.error("the selector failed", e);
    }
  }

  private static void ready(SelectionKey key) {
    if (key.attachment() instanceof ManagedConnection connection) {
      // Not again until the worker says so.
      key.interestOps(0);
      connection.schedule();
    } else {
      ((Runnable) key.attachment()).run();
    }
  }

  private void work(int worker) {
    for (ManagedConnection connection = queue.take();
        connection != null;
        connection = queue.take()) {
      connection.visit(lanes.tally(worker));
    }
  }

  WorkQueue queue() {
    return queue;
  }

  ManagedPoker poker() {
    return poker;
  }

  /** Counts a call into the kernel. */
  void called() {
    systemCalls.increment();
  }

  void wakeSelector() {
    called();
    selectorWakeUps.increment();
    selector.wakeup();
  }

  void gone(ManagedConnection connection) {
    connections.remove(connection);
  }

  @Override
  public LegCost cost() {
    return new LegCost(
        systemCalls.sum(),
        selectorWakeUps.sum() + queue.wakeUps(),
        selectorParks.sum() + queue.parks(),
        0);
  }

  @Override
  public long segmentsOut() {
    return 0;
  }

  @Override
  public void close() {
    for (ManagedListener listener : listeners) {
      listener.close();
    }
    if (poker != null) {
      poker.close();
    }
    connections.forEach(ManagedConnection::close);
    awaitNoConnection();
    connections.forEach(ManagedConnection::reset);
    queue.close();
    workers.forEach(ManagedLeg::join);
    closing = true;
    selector.wakeup();
    join(selectorThread);
    try {
      selector.close();
    } catch (IOException e) {
      LOG.warn("closing the selector failed", e);
    }
  }

  /** What a peer does not read is not waited for for ever. */
  private void awaitNoConnection() {
    long deadlineNanos = System.nanoTime() + CLOSE_NANOS;
    while (!connections.isEmpty() && System.nanoTime() - deadlineNanos < 0) {
      LockSupport.parkNanos(CLOSE_POLL_NANOS);
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join(END_WAIT_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
