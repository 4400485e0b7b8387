package io.penstock.examples.echo;

import io.penstock.shards.Listener;
import io.penstock.shards.ShardGroup;
import io.penstock.shards.core.Backend;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.net.CloseReason;
import io.penstock.shards.net.ConnectOptions;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ConnectionHandler;
import io.penstock.shards.net.ListenOptions;
import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Lets the JIT compile a server's paths before it says that it is ready, so that its first clients
 * do not pay for it: connections of its own are opened, used and closed until nothing is compiled
 * any more.
 */
final class WarmUp {
  private static final int CONNECTIONS = 16;
  private static final int ROUND_TRIPS = 400;
  private static final int STREAM_BYTES = 8 << 20;

  /** Many that stream at once fill each other's buffers, so that writes are cut and go on. */
  private static final int CROWD = 8;

  private static final int CROWD_BYTES = 1 << 20;

  /** Less compile time in a round than this, twice in a row, counts as quiet. */
  private static final long QUIET_MILLIS = 3;

  private final ShardGroup group;

  private WarmUp(ShardGroup group) {
    this.group = group;
  }

  /** Runs until the JIT is quiet, for that long at most. Not on a shard. */
  static void run(ShardGroup group, Duration atMost) throws IOException, InterruptedException {
    CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    if (compiler == null || !compiler.isCompilationTimeMonitoringSupported()) {
      return;
    }
    new WarmUp(group).run(compiler, System.nanoTime() + atMost.toNanos());
  }

  private void run(CompilationMXBean compiler, long deadlineNanos)
      throws IOException, InterruptedException {
    List<Listener> listeners = new ArrayList<>();
    try {
      listeners.add(listen(Endpoint.loopback(0)));
      if (group.report().backend() != Backend.NIO) {
        String name = "penstock-warm-up-" + ProcessHandle.current().pid();
        listeners.add(listen(new Endpoint.UnixAbstract(name)));
      }
      int quietRounds = 0;
      while (quietRounds < 2 && System.nanoTime() - deadlineNanos < 0) {
        long before = compiler.getTotalCompilationTime();
        for (Listener listener : listeners) {
          round(listener.local());
        }
        long spent = compiler.getTotalCompilationTime() - before;
        quietRounds = spent < QUIET_MILLIS ? quietRounds + 1 : 0;
      }
    } finally {
      for (Listener listener : listeners) {
        listener.close().toCompletableFuture().join();
      }
    }
  }

  private Listener listen(Endpoint endpoint) throws IOException {
    return group.listen(endpoint, ListenOptions.defaults(), () -> EchoHandler.INSTANCE);
  }

  /** Round trips, streams and a crowd of streams; each ends, so that ending is warm. */
  private void round(Endpoint endpoint) throws IOException, InterruptedException {
    List<Client> clients = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      clients.add(new Client(64, 1, 64L * ROUND_TRIPS));
    }
    clients.add(new Client(1 << 16, 4, STREAM_BYTES));
    for (int i = 0; i < CROWD; i++) {
      clients.add(new Client(4096, 64, CROWD_BYTES));
    }
    for (Client client : clients) {
      CompletableFuture<?> opened =
          group.connect(endpoint, ConnectOptions.defaults(), client).toCompletableFuture();
      opened.join();
    }
    for (Client client : clients) {
      if (!client.awaitEnd()) {
        throw new IOException("the warm-up over " + endpoint + " made no progress");
      }
    }
  }

  /** Keeps a window of messages on their way until all bytes came back, then closes. */
  private static final class Client implements ConnectionHandler {
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final int messageBytes;
    private final int window;
    private long leftToSend;
    private long leftToReceive;

    Client(int messageBytes, int window, long totalBytes) {
      this.messageBytes = messageBytes;
      this.window = window;
      this.leftToSend = totalBytes;
      this.leftToReceive = totalBytes;
    }

    @Override
    public void onOpened(Connection connection) {
      connection.demandUnbounded();
      fillWindow(connection);
    }

    private void fillWindow(Connection connection) {
      while (leftToSend > 0 && leftToReceive - leftToSend < (long) window * messageBytes) {
        leftToSend -= messageBytes;
        connection.write(connection.lease(messageBytes).range(0, messageBytes));
      }
    }

    @Override
    public void onReceived(Connection connection, Segment segment) {
      leftToReceive -= segment.length();
      segment.release();
      if (leftToReceive == 0) {
        connection.close();
      } else {
        fillWindow(connection);
      }
    }

    @Override
    public void onClosed(Connection connection, CloseReason reason) {
      ended.complete(null);
    }

    boolean awaitEnd() throws InterruptedException {
      try {
        ended.get(10, TimeUnit.SECONDS);
        return true;
      } catch (ExecutionException | TimeoutException e) {
        return false;
      }
    }
  }
}
