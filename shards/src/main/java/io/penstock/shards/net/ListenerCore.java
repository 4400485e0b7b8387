package io.penstock.shards.net;

import io.penstock.shards.core.AnyThread;
import io.penstock.shards.core.SocketOptions;
import io.penstock.shards.poller.AcceptedSocket;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** What the sockets of one listener share: its handlers, its limit, its counts. */
@AnyThread
public final class ListenerCore {
  /**
   * With a socket per shard, how many more than the least a shard may have before it hands over.
   */
  private static final int TOLERATED_EXCESS = 1;

  private final ListenOptions options;
  private final Supplier<? extends ConnectionHandler> handlers;
  private final NetShard[] shards;
  private final boolean correcting;
  // Written by accepting shards and by shards that end connections.
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicIntegerArray openByShard;
  private final LongAdder refused = new LongAdder();
  // Guarded by itself: placement keeps state and several shards may accept.
  private final Object placing = new Object();
  private final Placement placement;
  private final int[] countsForPlacement;

  /**
   * What the listener's sockets share.
   *
   * @param shards the group's shards by index
   * @param correcting true if each shard accepts and hands over only what is uneven
   */
  public ListenerCore(
      ListenOptions options,
      Supplier<? extends ConnectionHandler> handlers,
      NetShard[] shards,
      boolean correcting) {
    this.options = Objects.requireNonNull(options, "options");
    this.handlers = Objects.requireNonNull(handlers, "handlers");
    this.shards = shards.clone();
    this.correcting = correcting;
    this.openByShard = new AtomicIntegerArray(shards.length);
    this.placement = options.placement().get();
    this.countsForPlacement = new int[shards.length];
  }

  public ListenOptions options() {
    return options;
  }

  /** Connections that are open or on their way to their shard. */
  public int openCount() {
    return open.get();
  }

  /** Those of one shard. */
  public int openCount(int shard) {
    return openByShard.get(shard);
  }

  /** Connections refused for a limit or a peer that is not allowed. */
  public long refusedCount() {
    return refused.sum();
  }

  ConnectionHandler newHandler() {
    return Objects.requireNonNull(handlers.get(), "the listener's handler");
  }

  /** Counts one more in, if the limit allows it. */
  boolean tryAdmit() {
    if (open.incrementAndGet() <= options.maxConnections()) {
      return true;
    }
    open.decrementAndGet();
    refused.increment();
    return false;
  }

  /** Takes back an admission that led to no shard. */
  void unadmit() {
    open.decrementAndGet();
  }

  SocketOptions acceptedOptions() {
    return options.accepted();
  }

  /** The shard for a connection that one accepted; counts it there. */
  NetShard place(int accepting) {
    int chosen = correcting ? corrected(accepting) : placed();
    openByShard.incrementAndGet(chosen);
    return shards[chosen];
  }

  /** A connection is over, or never began. */
  void released(int shard) {
    openByShard.decrementAndGet(shard);
    open.decrementAndGet();
  }

  /** It goes to another shard than was chosen, which has ended. */
  void moved(int from, int to) {
    openByShard.decrementAndGet(from);
    openByShard.incrementAndGet(to);
  }

  /** A connection is refused that had been admitted. */
  void refused(int shard) {
    refused.increment();
    released(shard);
  }

  /** Whether the peer may connect. Throws what the application's choice throws. */
  boolean allows(AcceptedSocket accepted) {
    if (options.allowedPeers() == null) {
      return true;
    }
    try {
      return options.allowedPeers().test(accepted.peerCredentials());
    } catch (IOException e) {
      // It is gone already: no credentials, no admission.
      return false;
    }
  }

  /** Gives a connection of a shard that ends to one that goes on; false if there is none. */
  boolean tryPassOn(AcceptedSocket accepted, NetShard from) {
    for (NetShard other : shards) {
      if (other.isLeaving()) {
        continue;
      }
      moved(from.index(), other.index());
      try {
        other.loop().execute(() -> other.open(accepted, this));
        return true;
      } catch (RejectedExecutionException e) {
        // It failed meanwhile, or would be leaving.
        moved(other.index(), from.index());
      }
    }
    return false;
  }

  private int corrected(int accepting) {
    int least = leastBusy(accepting);
    if (shards[accepting].isLeaving()) {
      return least;
    }
    boolean uneven = openByShard.get(accepting) - openByShard.get(least) > TOLERATED_EXCESS;
    return uneven ? least : accepting;
  }

  /** Of the shards that go on, the one with the fewest connections; that one if none is better. */
  private int leastBusy(int otherwise) {
    int least = otherwise;
    for (int i = 0; i < shards.length; i++) {
      if (!shards[i].isLeaving()
          && (shards[least].isLeaving() || openByShard.get(i) < openByShard.get(least))) {
        least = i;
      }
    }
    return least;
  }

  private int placed() {
    synchronized (placing) {
      for (int i = 0; i < countsForPlacement.length; i++) {
        countsForPlacement[i] = openByShard.get(i);
      }
      int chosen = placement.choose(countsForPlacement);
      if (chosen < 0 || chosen >= shards.length) {
        throw new IllegalStateException("placement chose shard " + chosen + " of " + shards.length);
      }
      // Placements know of no shards that end.
      return shards[chosen].isLeaving() ? leastBusy(chosen) : chosen;
    }
  }
}
