package io.penstock.shards.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What goes back to the system once a burst is over, and what stays. */
class SlabTrimTest {
  private static final int LARGE_BYTES = 1 << 18;

  /** Memory that can be given back, with what was. */
  private static final class Discardable implements MemoryAddress {
    private final List<Long> discarded = new ArrayList<>();
    private long nextAddress = 1 << 20;

    @Override
    public long of(ByteBuffer direct) {
      nextAddress += 2L * LARGE_BYTES;
      return nextAddress;
    }

    @Override
    public boolean tryDiscard(long address, long lengthBytes) {
      discarded.add(address);
      return true;
    }
  }

  private final Discardable memory = new Discardable();
  private final SegmentPool pool =
      new SegmentPool(memory, 16L * LARGE_BYTES, System::nanoTime, () -> {});

  SlabTrimTest() {
    pool.confineToCurrentThread();
  }

  @Test
  void whatABurstLeavesGoesBackAfterAPeriodWithoutUse() {
    lease(8).forEach(Segment::release);
    assertThat(pool.reservedBytes()).isEqualTo(8L * LARGE_BYTES);
    assertThat(pool.trim()).isTrue();
    assertThat(pool.reservedBytes()).isEqualTo(8L * LARGE_BYTES);

    assertThat(pool.trim()).isFalse();

    assertThat(pool.reservedBytes()).isZero();
    assertThat(memory.discarded).doesNotHaveDuplicates().hasSize(8);
  }

  @Test
  void whatIsUsedAgainAndAgainStaysAndTheRestGoes() {
    lease(8).forEach(Segment::release);
    for (int period = 0; period < 3; period++) {
      for (int i = 0; i < 100; i++) {
        lease(2).forEach(Segment::release);
      }
      pool.trim();
    }

    assertThat(pool.reservedBytes()).isEqualTo(2L * LARGE_BYTES);
  }

  @Test
  void whatIsOutStays() {
    List<Segment> kept = lease(3);
    for (int period = 0; period < 3; period++) {
      assertThat(pool.trim()).isFalse();
    }

    assertThat(pool.reservedBytes()).isEqualTo(3L * LARGE_BYTES);
    assertThat(memory.discarded).isEmpty();
    kept.forEach(Segment::release);
  }

  @Test
  void oneSmallSegmentThatIsOutKeepsItsChunkOnly() {
    List<Segment> small = new ArrayList<>();
    for (int i = 0; i < 3 * (1 << 16) / 256; i++) {
      small.add(pool.lease(256, "the test"));
    }
    assertThat(pool.reservedBytes()).isEqualTo(3L << 16);
    Segment kept = small.remove(300);
    small.forEach(Segment::release);
    pool.trim();
    pool.trim();

    assertThat(pool.reservedBytes()).isEqualTo(1L << 16);
    kept.release();
    pool.trim();
    pool.trim();
    assertThat(pool.reservedBytes()).isZero();
  }

  @Test
  void whatWentBackIsTakenAgainAtItsAddress() {
    lease(2).forEach(Segment::release);
    pool.trim();
    pool.trim();

    List<Segment> again = lease(2);

    assertThat(again).extracting(Segment::address).containsAll(memory.discarded);
    assertThat(pool.reservedBytes()).isEqualTo(2L * LARGE_BYTES);
    again.forEach(Segment::release);
  }

  @Test
  void withoutAWayToGiveItBackItIsForgotten() {
    SegmentPool plain = new SegmentPool(direct -> 0, 4L * LARGE_BYTES, System::nanoTime, () -> {});
    plain.confineToCurrentThread();
    plain.lease(LARGE_BYTES, "the test").release();
    plain.trim();
    plain.trim();

    assertThat(plain.reservedBytes()).isZero();
    plain.lease(LARGE_BYTES, "the test").release();
    assertThat(plain.reservedBytes()).isEqualTo(LARGE_BYTES);
  }

  private List<Segment> lease(int count) {
    List<Segment> leased = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      leased.add(pool.lease(LARGE_BYTES, "the test"));
    }
    return leased;
  }
}
