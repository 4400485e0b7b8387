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
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sockets of one listener, each with the shard that accepts from it now. */
@AnyThread
final class ListenerSockets {
  private static final Logger LOG = LoggerFactory.getLogger(ListenerSockets.class);

  private record Placed(Shard shard, ShardListener socket) {}

  private final ListenerCore core;
  private final Consumer<ListenerSockets> onClosed;
  // Guards the three below: sockets move when a shard stops while somebody closes the listener.
  private final Object lock = new Object();
  private final List<Placed> placed = new ArrayList<>();
  private final List<CompletableFuture<Void>> moving = new ArrayList<>();
  private boolean closed;

  /**
   * Makes a listener without sockets.
   *
   * @param onClosed told by any thread when all is closed
   */
  ListenerSockets(ListenerCore core, Consumer<ListenerSockets> onClosed) {
    this.core = core;
    this.onClosed = onClosed;
  }

  /**
   * Opens one more socket on that shard and waits for it.
   *
   * @return the address; null if nothing was opened, for the shard stops or the listener is closed
   */
  Endpoint open(Shard shard, Callable<ShardListener> opening) throws IOException {
    CompletableFuture<Endpoint> opened = new CompletableFuture<>();
    try {
      shard.execute(
          () -> {
            try {
              opened.complete(tryPlace(shard, opening));
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

  /** Opens under the lock: whoever moves or closes what there is comes before it or sees it. */
  private Endpoint tryPlace(Shard shard, Callable<ShardListener> opening) throws Exception {
    synchronized (lock) {
      if (closed || shard.isStopping()) {
        return null;
      }
      ShardListener socket = opening.call();
      placed.add(new Placed(shard, socket));
      return socket.local();
    }
  }

  /** Closes all; completes when all are, those that move just now included. */
  CompletableFuture<Void> close() {
    List<CompletableFuture<Void>> closing = new ArrayList<>();
    synchronized (lock) {
      closed = true;
      for (Placed one : placed) {
        closing.add(close(one));
      }
      placed.clear();
      closing.addAll(moving);
    }
    return CompletableFuture.allOf(closing.toArray(CompletableFuture<?>[]::new))
        .whenComplete((done, failure) -> onClosed.accept(this));
  }

  private static CompletableFuture<Void> close(Placed one) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    try {
      one.shard().execute(() -> close(one.socket(), done));
    } catch (RejectedExecutionException e) {
      // The shard has ended, and with it all its sockets.
      LOG.debug("{} closed with {}", one.socket(), one.shard(), e);
      done.complete(null);
    }
    return done;
  }

  private static void close(ShardListener socket, CompletableFuture<Void> done) {
    try {
      socket.close(() -> done.complete(null));
    } catch (Throwable t) {
      done.completeExceptionally(t);
    }
  }

  /** Hands the sockets of a shard that ends to another, with those who wait in their queues. */
  CompletableFuture<Void> move(Shard from, Shard to) {
    List<CompletableFuture<Void>> moves = new ArrayList<>();
    synchronized (lock) {
      for (Placed one : List.copyOf(placed)) {
        if (one.shard() == from) {
          placed.remove(one);
          moves.add(move(one, to));
        }
      }
    }
    return CompletableFuture.allOf(moves.toArray(CompletableFuture<?>[]::new));
  }

  private CompletableFuture<Void> move(Placed one, Shard to) {
    CompletableFuture<Void> moved = new CompletableFuture<>();
    moving.add(moved);
    try {
      one.shard().execute(() -> handOver(one, to, moved));
    } catch (RejectedExecutionException e) {
      // The shard has ended by itself, and with it all its sockets.
      LOG.debug("{} moved from {}", one.socket(), one.shard(), e);
      ended(moved);
    }
    return moved;
  }

  private void handOver(Placed one, Shard to, CompletableFuture<Void> moved) {
    boolean handedOver = false;
    try {
      DetachedListener detached = one.socket().detach();
      try {
        to.execute(() -> adopt(detached, to, moved));
        handedOver = true;
      } catch (RejectedExecutionException e) {
        LOG.warn("{} ended before it took over a listening socket", to, e);
        detached.discard();
      }
    } finally {
      if (!handedOver) {
        ended(moved);
      }
    }
  }

  private void adopt(DetachedListener detached, Shard to, CompletableFuture<Void> moved) {
    try {
      ShardListener socket = ShardListener.adopt(to.net(), core, detached);
      if (tryKeep(new Placed(to, socket))) {
        ended(moved);
      } else {
        // The close takes in who came along.
        socket.close(() -> ended(moved));
      }
    } catch (Throwable t) {
      LOG.error("{} could not take over a listening socket", to, t);
      ended(moved);
    }
  }

  private boolean tryKeep(Placed one) {
    synchronized (lock) {
      if (!closed) {
        placed.add(one);
      }
      return !closed;
    }
  }

  private void ended(CompletableFuture<Void> moved) {
    synchronized (lock) {
      moving.removeIf(other -> other == moved);
    }
    moved.complete(null);
  }
}
