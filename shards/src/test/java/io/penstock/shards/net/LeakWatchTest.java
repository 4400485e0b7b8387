package io.penstock.shards.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.memory.LongLease;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.testing.FakeStreamSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Segments that are out for long are told of by the name of their owner. */
class LeakWatchTest extends ConnectionStepTest {
  private static final int LEASES = 3 * LongLease.SAMPLED_EVERY;

  @Test
  void whoHoldsSegmentsForLongIsNamedOnce() {
    List<Segment> kept = lease("a cache", LEASES);
    shard.after(Duration.ofSeconds(9));
    assertThat(shard.longLeases()).isEmpty();

    shard.after(Duration.ofSeconds(2));
    shard.after(Duration.ofMinutes(1));

    assertThat(shard.longLeases()).hasSize(1);
    LongLease lease = shard.longLeases().get(0);
    assertThat(lease.segments()).isEqualTo(3);
    assertThat(lease.bytes()).isEqualTo(3L * kept.get(0).capacity());
    assertThat(lease.describe()).startsWith("a cache has held 3 segments of ").contains(" for 1");
    kept.forEach(Segment::release);
  }

  @Test
  void whatComesBackInTimeIsNotToldOf() {
    lease("a cache", LEASES).forEach(Segment::release);
    List<Segment> later = lease("another", LongLease.SAMPLED_EVERY);
    shard.after(Duration.ofSeconds(5));
    later.forEach(Segment::release);

    shard.after(Duration.ofMinutes(1));

    assertThat(shard.longLeases()).isEmpty();
  }

  @Test
  void whoIsLeasedToLaterIsLookedAtLater() {
    List<Segment> first = lease("the first", LongLease.SAMPLED_EVERY);
    shard.after(Duration.ofSeconds(8));
    List<Segment> second = lease("the second", LongLease.SAMPLED_EVERY);
    shard.after(Duration.ofSeconds(3));
    assertThat(shard.longLeases()).extracting(LongLease::owner).containsExactly("the first");

    shard.after(Duration.ofSeconds(10));

    assertThat(shard.longLeases())
        .extracting(LongLease::owner)
        .containsExactly("the first", "the second");
    first.forEach(Segment::release);
    second.forEach(Segment::release);
  }

  @Test
  void whatWaitsForAStuckPeerIsNamedByItsConnection() {
    FakeStreamSocket socket = accept();
    socket.nextWrite(0);
    for (int i = 0; i < LEASES; i++) {
      write("stuck");
    }
    shard.turn();

    shard.after(Duration.ofSeconds(21));

    assertThat(shard.longLeases())
        .isNotEmpty()
        .allMatch(lease -> lease.describe().startsWith("output of connection 1 of shard 0 has"));
  }

  private List<Segment> lease(String owner, int count) {
    List<Segment> leased = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      leased.add(shard.pool().lease(100, owner));
    }
    return leased;
  }
}
