package io.penstock.examples.smoke.sharded;

import io.penstock.examples.smoke.count.Lanes;
import io.penstock.examples.smoke.count.Role;
import io.penstock.examples.smoke.wire.Effective;
import io.penstock.examples.smoke.wire.Leg;
import io.penstock.examples.smoke.wire.LegCost;
import io.penstock.examples.smoke.wire.Peer;
import io.penstock.examples.smoke.wire.Remote;
import io.penstock.shards.Listener;
import io.penstock.shards.ShardGroup;
import io.penstock.shards.ShardGroupOptions;
import io.penstock.shards.StartupReport;
import io.penstock.shards.core.Backend;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.memory.SegmentSource;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.metrics.CounterSnapshot;
import io.penstock.shards.net.ConnectOptions;
import io.penstock.shards.net.ConnectionRef;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.net.ListenOptions.Accepting;
import io.penstock.shards.net.Placement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Both ends on the shards of one group. */
public final class ShardedLeg implements Leg {
  private static final Logger LOG = LoggerFactory.getLogger(ShardedLeg.class);

  private static final int BACKLOG = 4096;

  /** How long replies may take that are still with the poker when the leg is closed. */
  private static final long POKER_IDLE_MILLIS = 1_000;

  /** The JDK hands out no descriptors: nio takes only what the process was given as its input. */
  private static final int INHERITED = 0;

  private final ShardGroup group;
  private final Lanes lanes;
  private final Poker poker;
  private final boolean bothEnds;
  private ListeningDescriptor adopted;
  private int clientsStarted;

  private ShardedLeg(ShardGroup group, boolean poke, boolean bothEnds) {
    this.group = group;
    this.bothEnds = bothEnds;
    this.lanes = new Lanes(group.shardCount());
    this.poker = poke ? new Poker(group.shardCount()) : null;
  }

  /**
   * Starts the shards.
   *
   * @param poke whether a thread is needed that sends out of band
   * @param bothEnds whether clients of the own server are to be spread so that all are alike
   */
  public static ShardedLeg start(ShardGroupOptions options, boolean poke, boolean bothEnds) {
    // Counted, and shown at the end: on a busy machine a line for each would drown the figures.
    ShardGroupOptions quiet = options.withStallListener(stall -> LOG.debug("{}", stall.describe()));
    ShardedLeg leg = new ShardedLeg(ShardGroup.start(quiet), poke, bothEnds);
    if (poke) {
      leg.poker.start();
    }
    return leg;
  }

  @Override
  public Effective effective() {
    StartupReport report = group.report();
    List<String> notes = new ArrayList<>();
    for (StartupReport.PassedOver other : report.passedOver()) {
      notes.add("not " + other.backend().label() + ": " + other.reason());
    }
    int pinned = 0;
    for (StartupReport.ShardStart shard : report.shards()) {
      if (shard.cpu() >= 0) {
        pinned++;
      } else if (shard.unpinnedReason() != null) {
        notes.add("shard " + shard.index() + " is not pinned: " + shard.unpinnedReason());
      }
    }
    notes.addAll(report.notes());
    return new Effective(
        report.backend().label(),
        report.shards().size(),
        pinned,
        report.cpus(),
        TimeUnit.NANOSECONDS.toMicros(report.spinNanos()),
        0,
        notes);
  }

  @Override
  public Lanes lanes() {
    return lanes;
  }

  @Override
  public Endpoint listen(Endpoint endpoint, Supplier<? extends Peer> servers) throws IOException {
    ShardHandler handler = new ShardHandler(this, Role.SERVER, servers);
    return group.listen(endpoint, listenOptions(), () -> handler).local();
  }

  @Override
  public Adopted adopt(Endpoint endpoint, Supplier<? extends Peer> servers) throws IOException {
    int descriptor = INHERITED;
    if (group.report().backend() != Backend.NIO) {
      adopted = ListeningDescriptor.open(endpoint);
      descriptor = adopted.descriptor();
    }
    ShardHandler handler = new ShardHandler(this, Role.SERVER, servers);
    Listener listener = group.adopt(descriptor, listenOptions(), () -> handler);
    return new Adopted(descriptor, listener.local());
  }

  @Override
  public CompletionStage<Remote> connect(Endpoint endpoint, Supplier<? extends Peer> clients) {
    ShardHandler handler = new ShardHandler(this, Role.CLIENT, clients);
    int shard = clientsStarted++ % group.shardCount();
    return group
        .connect(shard, endpoint, ConnectOptions.defaults(), handler)
        .thenApply(ShardedLeg::remote);
  }

  private ListenOptions listenOptions() {
    ListenOptions options = ListenOptions.defaults().withBacklog(BACKLOG);
    return bothEnds
        ? options.withAccepting(Accepting.ACCEPTOR).withPlacement(ShardedLeg::afterTheClient)
        : options;
  }

  /**
   * The server's end of the first client goes to the shard after the client's, and so on: if they
   * are connected one after the other, all connections are alike, each between two shards. Some
   * with both ends on one shard would be many times faster than the others.
   */
  private static Placement afterTheClient() {
    return new Placement() {
      private int clients;

      @Override
      public int choose(int[] openCounts) {
        clients++;
        return clients % openCounts.length;
      }
    };
  }

  private static Remote remote(ConnectionRef ref) {
    return new Remote() {
      @Override
      public void close() {
        ref.close();
      }

      @Override
      public void reset() {
        ref.abort();
      }
    };
  }

  @Override
  public LegCost cost() {
    CounterSnapshot counters = group.counters();
    return new LegCost(
        counters.get(Counter.SYSTEM_CALLS),
        counters.get(Counter.WAKE_UPS),
        counters.get(Counter.PARKS),
        counters.get(Counter.STALLS));
  }

  @Override
  public long segmentsOut() {
    return group.segmentsOut();
  }

  Poker poker() {
    return poker;
  }

  SegmentSource segments() {
    return group.segments();
  }

  @Override
  public void close() {
    if (poker != null) {
      poker.awaitIdle(POKER_IDLE_MILLIS);
    }
    group.close();
    if (poker != null) {
      // The shards have ended: what is still queued is released by the connections' refs.
      poker.close();
    }
    if (adopted != null) {
      try {
        adopted.deleteFile();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
