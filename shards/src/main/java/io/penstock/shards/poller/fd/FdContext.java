package io.penstock.shards.poller.fd;

import io.penstock.shards.core.OnShard;

/** What the sockets of one poller share: the array for gathers, the count of system calls. */
@OnShard
public final class FdContext {
  final Iovecs iovecs = new Iovecs();
  private long systemCalls;

  /** Counts calls of the kernel. */
  public void called(int times) {
    systemCalls += times;
  }

  public long systemCalls() {
    return systemCalls;
  }
}
