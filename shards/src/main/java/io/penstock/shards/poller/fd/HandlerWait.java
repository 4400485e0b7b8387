package io.penstock.shards.poller.fd;

import io.netty.channel.IoHandlerContext;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.poller.PollWait;
import java.util.Objects;

/** Tells a Netty handler what the shard's {@link PollWait} says. */
@OnShard
public final class HandlerWait implements IoHandlerContext {
  private PollWait wait;

  /** Answers by that from now on. */
  public HandlerWait of(PollWait newWait) {
    wait = Objects.requireNonNull(newWait, "wait");
    return this;
  }

  @Override
  public boolean canBlock() {
    return wait.mayWait();
  }

  @Override
  public long delayNanos(long currentTimeNanos) {
    return Math.max(0, wait.deadlineNanos() - currentTimeNanos);
  }

  /** -1 for never, as Netty has it; so a real deadline of -1 becomes the next one. */
  @Override
  public long deadlineNanos() {
    long deadlineNanos = wait.deadlineNanos();
    if (deadlineNanos == Long.MAX_VALUE) {
      return -1;
    }
    return deadlineNanos == -1 ? 0 : deadlineNanos;
  }
}
