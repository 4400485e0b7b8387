package io.penstock.shards;

import io.penstock.shards.core.AnyThread;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.net.ListenerCore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A bound address that accepts connections. */
@AnyThread
public final class Listener {
  private final ListenerSockets sockets;
  private final ListenerCore core;
  private final Endpoint local;

  Listener(ListenerSockets sockets, ListenerCore core, Endpoint local) {
    this.sockets = sockets;
    this.core = core;
    this.local = local;
  }

  /** The address bound, with the port that the kernel chose. */
  public Endpoint local() {
    return local;
  }

  /** Connections that are open, or accepted and on their way to their shard. */
  public int openCount() {
    return core.openCount();
  }

  /** Those of one shard. */
  public int openCount(int shard) {
    return core.openCount(shard);
  }

  /** Connections that were refused for a limit or because the peer is not allowed. */
  public long refusedCount() {
    return core.refusedCount();
  }

  /**
   * Stops listening. Who waits in the kernel's queue is accepted first; connections live on.
   *
   * @return completes when the address is free; nothing is accepted after that
   */
  public CompletionStage<Void> close() {
    CompletableFuture<Void> closed = sockets.close();
    return closed.minimalCompletionStage();
  }

  @Override
  public String toString() {
    return "listener on " + local;
  }
}
