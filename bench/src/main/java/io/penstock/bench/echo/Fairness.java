package io.penstock.bench.echo;

import io.penstock.shards.Listener;
import io.penstock.shards.Shard;
import io.penstock.shards.ShardGroup;
import io.penstock.shards.ShardGroupOptions;
import io.penstock.shards.core.Backend;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.net.ConnectOptions;
import io.penstock.shards.net.ConnectionHandler;
import io.penstock.shards.net.ConnectionRef;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.pinning.CpuSet;
import io.penstock.shards.pinning.PinningMode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * One server shard with 63 ping-pong connections: their round trips alone, beside a connection that
 * streams, and beside a flood of tasks; and how long a task waits beside the stream.
 *
 * <p>{@code java -cp bench/target/penstock-bench.jar io.penstock.bench.echo.Fairness [SECONDS]}
 */
public final class Fairness {
  private static final int CONNECTIONS = 63;
  private static final long FLOOD_TASK_NANOS = 10_000;
  private static final int FLOOD_TASKS = 4096;

  private final ShardGroup server;
  private final ShardGroup clients;
  private final Endpoint where;
  private final long caseNanos;

  private Fairness(ShardGroup server, ShardGroup clients, Endpoint where, int seconds) {
    this.server = server;
    this.clients = clients;
    this.where = where;
    this.caseNanos = TimeUnit.SECONDS.toNanos(seconds);
  }

  /** Measures on each backend that runs here. */
  public static void main(String[] args) throws Exception {
    int seconds = args.length > 0 ? Integer.parseInt(args[0]) : 5;
    System.out.printf(
        "%-10s %-34s %10s %10s %10s%n", "backend", "case", "p50 us", "p99 us", "max us");
    for (Backend backend : Backend.values()) {
      measure(backend, seconds);
    }
  }

  private static void measure(Backend backend, int seconds) throws Exception {
    ShardGroupOptions one = ShardGroupOptions.defaults().withBackend(backend).withShards(1);
    try (ShardGroup server = ShardGroup.start(pinned(one.withName("server"), 0));
        ShardGroup clients = ShardGroup.start(pinned(one.withName("clients"), 1))) {
      Listener listener =
          server.listen(Endpoint.loopback(0), ListenOptions.defaults(), EchoServer::new);
      Fairness fairness = new Fairness(server, clients, listener.local(), seconds);
      fairness.roundTrips(false, false); // warms up
      report(backend, "round trip alone", fairness.roundTrips(false, false));
      report(backend, "round trip beside a stream", fairness.roundTrips(true, false));
      report(backend, "round trip beside a task flood", fairness.roundTrips(false, true));
      report(backend, "task beside a stream", fairness.taskWaits());
    }
  }

  private static ShardGroupOptions pinned(ShardGroupOptions options, int cpu) {
    return options.withPinning(PinningMode.ON).withCpus(CpuSet.of(cpu));
  }

  private static void report(Backend backend, String name, Histogram nanos) {
    System.out.printf(
        "%-10s %-34s %10.1f %10.1f %10.1f%n",
        backend,
        name,
        nanos.getValueAtPercentile(50) / 1e3,
        nanos.getValueAtPercentile(99) / 1e3,
        nanos.getMaxValue() / 1e3);
  }

  private Histogram roundTrips(boolean stream, boolean flood) throws Exception {
    Histogram nanos = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
    List<ConnectionRef> open = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      open.add(connect(new PingPong(nanos)));
    }
    if (stream) {
      open.add(connect(new Streaming()));
    }
    await(flood);
    end(open);
    return nanos;
  }

  private Histogram taskWaits() throws Exception {
    List<ConnectionRef> open = List.of(connect(new Streaming()));
    Histogram nanos = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
    long endNanos = System.nanoTime() + caseNanos;
    while (System.nanoTime() - endNanos < 0) {
      CompletableFuture<Long> ranNanos = new CompletableFuture<>();
      long askedNanos = System.nanoTime();
      server.shard(0).execute(() -> ranNanos.complete(System.nanoTime()));
      nanos.recordValue(ranNanos.get(10, TimeUnit.SECONDS) - askedNanos);
    }
    end(open);
    return nanos;
  }

  /** Lets the case run its time, with tasks of 10 us always waiting if they are to flood. */
  private void await(boolean flood) throws InterruptedException {
    long endNanos = System.nanoTime() + caseNanos;
    Semaphore waiting = new Semaphore(FLOOD_TASKS);
    Shard shard = server.shard(0);
    while (System.nanoTime() - endNanos < 0) {
      if (!flood) {
        TimeUnit.NANOSECONDS.sleep(endNanos - System.nanoTime());
      } else if (waiting.tryAcquire(10, TimeUnit.MILLISECONDS)) {
        shard.execute(
            () -> {
              long doneNanos = System.nanoTime() + FLOOD_TASK_NANOS;
              while (System.nanoTime() - doneNanos < 0) {
                Thread.onSpinWait();
              }
              waiting.release();
            });
      }
    }
  }

  private ConnectionRef connect(ConnectionHandler handler) throws Exception {
    return clients
        .connect(where, ConnectOptions.defaults(), handler)
        .toCompletableFuture()
        .get(10, TimeUnit.SECONDS);
  }

  private void end(List<ConnectionRef> open) throws Exception {
    open.forEach(ConnectionRef::abort);
    // A task behind the aborts: when it has run, the clients record no more.
    CompletableFuture<Void> done = new CompletableFuture<>();
    clients.shard(0).execute(() -> done.complete(null));
    done.get(10, TimeUnit.SECONDS);
  }
}
