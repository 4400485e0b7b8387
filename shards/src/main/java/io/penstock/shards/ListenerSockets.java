package io.penstock.shards;

import io.penstock.shards.core.AnyThread;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.net.ListenerCore;
import io.penstock.shards.net.ShardListener;
import io.penstock.shards.poller.DetachedListener;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sockets of one listener, each with the shard that accepts from it now. */
@AnyThread
final class ListenerSockets {
  private static final Logger LOG = LoggerFactory.getLogger(ListenerSockets.class);

  private record Placed(Shard shard, ShardListener socket) {}

  private final ListenerCore core;
  // Guards the two below: sockets move when a shard stops while somebody closes the listener.
  private final Object lock = new Object();
  private final List<Placed> placed = new ArrayList<>();
  private boolean closed;

  ListenerSockets(ListenerCore core) {
    this.core = core;
  }

  /** Opens one more socket on that shard and waits for it; null if the shard is about to end. */
  Endpoint open(Shard shard, Callable<ShardListener> opening) throws IOException {
    CompletableFuture<Endpoint> opened = new CompletableFuture<>();
    try {
      shard.execute(
          () -> {
            try {
              ShardListener socket = opening.call();
              opened.complete(tryPlace(shard, socket) ? socket.local() : null);
            } catch (Throwable t) {
              opened.completeExceptionally(t);
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("{} ended before it listened", shard, e);
      return null;
    }
    return Futures.join(opened);
  }

  /** Not on a shard that ends: what it has was moved away already, or is about to be. */
  private boolean tryPlace(Shard shard, ShardListener socket) {
    synchronized (lock) {
      if (!shard.isStopping()) {
        placed.add(new Placed(shard, socket));
        return true;
      }
    }
    socket.detach().discard();
    return false;
  }

  boolean isClosed() {
    synchronized (lock) {
      return closed;
    }
  }

  /** Closes all; completes when all are. */
  CompletableFuture<Void> close() {
    List<Placed> all;
    synchronized (lock) {
      closed = true;
      all = List.copyOf(placed);
      placed.clear();
    }
    return CompletableFuture.allOf(
        all.stream().map(ListenerSockets::close).toArray(CompletableFuture<?>[]::new));
  }

  private static CompletableFuture<Void> close(Placed one) {
    CompletableFuture<Void> closed = new CompletableFuture<>();
    try {
      one.shard()
          .execute(
              () -> {
                try {
                  one.socket().close(() -> closed.complete(null));
                } catch (Throwable t) {
                  closed.completeExceptionally(t);
                }
              });
    } catch (RejectedExecutionException e) {
      // The shard has ended, and with it all its sockets.
      LOG.debug("{} closed with {}", one.socket(), one.shard(), e);
      closed.complete(null);
    }
    return closed;
  }

  /** Hands the sockets of a shard that ends to another, with those who wait in their queues. */
  CompletableFuture<Void> move(Shard from, Shard to) {
    List<Placed> moving = new ArrayList<>();
    synchronized (lock) {
      for (Placed one : placed) {
        if (one.shard() == from) {
          moving.add(one);
        }
      }
      placed.removeAll(moving);
    }
    return CompletableFuture.allOf(
        moving.stream().map(one -> move(one, to)).toArray(CompletableFuture<?>[]::new));
  }

  private CompletableFuture<Void> move(Placed one, Shard to) {
    CompletableFuture<Void> moved = new CompletableFuture<>();
    try {
      one.shard()
          .execute(
              () -> {
                DetachedListener detached = one.socket().detach();
                try {
                  to.execute(() -> adopt(detached, to, moved));
                } catch (RejectedExecutionException e) {
                  detached.discard();
                  moved.complete(null);
                }
              });
    } catch (RejectedExecutionException e) {
      // The shard has ended by itself, and with it all its sockets.
      LOG.debug("{} moved from {}", one.socket(), one.shard(), e);
      moved.complete(null);
    }
    return moved;
  }

  private void adopt(DetachedListener detached, Shard to, CompletableFuture<Void> moved) {
    try {
      synchronized (lock) {
        if (closed) {
          detached.discard();
        } else {
          placed.add(new Placed(to, ShardListener.adopt(to.net(), core, detached)));
        }
      }
    } catch (IOException e) {
      LOG.error("{} could not take over a listening socket", to, e);
    } finally {
      moved.complete(null);
    }
  }
}
