package io.penstock.shards;

import io.penstock.shards.core.AnyThread;
import io.penstock.shards.core.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Looks up host names, which may block, on threads that are no shard. They end when idle. */
@AnyThread
final class HostResolver {
  private static final int THREADS = 4;
  private static final long IDLE_SECONDS = 10;

  private final ThreadPoolExecutor threads;

  HostResolver(String threadName) {
    threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, threadName);
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /** On the calling thread. */
  Endpoint resolveNow(Endpoint endpoint) throws IOException {
    if (!(endpoint instanceof Endpoint.Tcp tcp) || !tcp.address().isUnresolved()) {
      return endpoint;
    }
    String host = tcp.address().getHostString();
    try {
      return new Endpoint.Tcp(
          new InetSocketAddress(InetAddress.getByName(host), tcp.address().getPort()));
    } catch (UnknownHostException e) {
      UnknownHostException named = new UnknownHostException("host '" + host + "' is not known");
      named.initCause(e);
      throw named;
    }
  }

  /**
   * On a thread of its own if there is a name to look up; else at once, on the caller's.
   *
   * @param endpoint null for none, which stays none
   */
  CompletableFuture<Endpoint> resolve(Endpoint endpoint) {
    if (!(endpoint instanceof Endpoint.Tcp tcp) || !tcp.address().isUnresolved()) {
      return CompletableFuture.completedFuture(endpoint);
    }
    CompletableFuture<Endpoint> resolved = new CompletableFuture<>();
    try {
      threads.execute(
          () -> {
            try {
              resolved.complete(resolveNow(endpoint));
            } catch (Throwable t) {
              resolved.completeExceptionally(t);
            }
          });
    } catch (RejectedExecutionException e) {
      resolved.completeExceptionally(e);
    }
    return resolved;
  }

  /** Refuses new look-ups; those under way end by themselves. */
  void close() {
    threads.shutdown();
  }
}
