package io.penstock.shards.poller.fd;

import io.netty.util.concurrent.ThreadAwareExecutor;

/**
 * What a Netty handler needs to know of the shard: its thread. Handlers run tasks on it only for
 * calls from other threads, and there are none: a poller's sockets belong to the shard.
 */
public final class ShardExecutor implements ThreadAwareExecutor {
  // Written once by the shard before its first poll; another thread that reads null rings the bell,
  // which is what a thread that is not the shard must do.
  private Thread thread;

  /** Makes the calling thread the shard's. */
  public void confineToCurrentThread() {
    thread = Thread.currentThread();
  }

  @Override
  public boolean isExecutorThread(Thread candidate) {
    return candidate == thread;
  }

  @Override
  public void execute(Runnable command) {
    throw new IllegalStateException(
        "a socket was used on " + Thread.currentThread() + " instead of " + thread);
  }
}
