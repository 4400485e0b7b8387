package io.penstock.shards.net;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.loop.Timer;
import io.penstock.shards.loop.TimerQueue;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.poller.ConnectRequest;
import io.penstock.shards.poller.IoResult;
import java.io.IOException;
import java.time.Duration;

/** The attempt to connect, with its deadline and, for a full Unix backlog, its retries. */
@OnShard
final class Connecting {
  private static final long FIRST_RETRY_NANOS = 1_000_000;
  private static final long LONGEST_RETRY_NANOS = 50_000_000;

  private final Connection connection;
  private final NetShard shard;
  private final ConnectRequest request;
  private final Duration timeout;
  private final Timer deadline;
  private final Timer retry = new Timer(this::attempt);
  private long retryNanos = FIRST_RETRY_NANOS;

  Connecting(Connection connection, ConnectRequest request, Duration timeout) {
    this.connection = connection;
    this.shard = connection.shard;
    this.request = request;
    this.timeout = timeout;
    this.deadline = new Timer(this::timedOut);
  }

  void start() {
    long nanos = ConnectionOptions.saturatedNanos(timeout);
    TimerQueue timers = shard.loop().timers();
    timers.schedule(deadline, TimerQueue.deadlineAfter(shard.loop().freshNanos(), nanos));
    attempt();
  }

  /** Ends the attempt's timers, whatever became of it. */
  void stop() {
    shard.loop().timers().cancel(deadline);
    shard.loop().timers().cancel(retry);
  }

  void onConnected(int result) {
    if (result == IoResult.WOULD_BLOCK && request.remote().isUnix()) {
      // unix(7): a connect on a full backlog fails at once and never becomes ready.
      shard.dropSocket(connection);
      TimerQueue timers = shard.loop().timers();
      timers.schedule(retry, TimerQueue.deadlineAfter(shard.loop().freshNanos(), retryNanos));
      retryNanos = Math.min(retryNanos * 2, LONGEST_RETRY_NANOS);
      return;
    }
    if (result < 0) {
      fail(
          new IOException(
              "connect to " + request.remote() + " failed: " + IoResult.describe(result)));
      return;
    }
    if (isSelfConnected()) {
      fail(
          new IOException(
              "connect to "
                  + request.remote()
                  + " reached this very socket: nobody listens there and the kernel chose the"
                  + " target's port as the source's"));
      return;
    }
    shard.counters().increment(Counter.CONNECTED);
    connection.life().open();
  }

  private void attempt() {
    try {
      shard.connectSocket(connection, this, request);
    } catch (IOException e) {
      fail(e);
    } catch (RuntimeException e) {
      // Such as for an address that the backend has no kind of socket for.
      fail(new IOException("connect to " + request.remote() + " failed: " + e.getMessage(), e));
    }
  }

  private void timedOut() {
    connection.life().end(new CloseReason.ConnectTimeout(timeout), true);
  }

  private void fail(IOException cause) {
    connection.life().end(new CloseReason.ConnectFailed(cause), true);
  }

  private boolean isSelfConnected() {
    return request.remote() instanceof Endpoint.Tcp
        && connection.socket().local() instanceof Endpoint.Tcp local
        && connection.socket().remote() instanceof Endpoint.Tcp remote
        && local.address().getPort() == remote.address().getPort()
        // Whoever connects to the wildcard address reaches its own host.
        && (remote.address().getAddress().isAnyLocalAddress()
            || local.address().equals(remote.address()));
  }
}
