package io.penstock.shards.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.shards.testing.AllocatedBytes;
import io.penstock.shards.testing.ForkedJvm;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A shard's pool; the test's thread is the shard. */
class SegmentPoolTest {
  private static final int LARGEST_BYTES = 1 << 18;

  private final AtomicInteger wakeUps = new AtomicInteger();
  private final AtomicLong addresses = new AtomicLong(1 << 20);
  private final SegmentPool pool = pool(1 << 20);

  private SegmentPool pool(long budgetBytes) {
    SegmentPool made =
        new SegmentPool(this::address, budgetBytes, () -> 0, wakeUps::incrementAndGet);
    made.confineToCurrentThread();
    return made;
  }

  /** As far apart as the memory is long, from an aligned start. */
  private long address(ByteBuffer direct) {
    return addresses.getAndAdd(direct.capacity());
  }

  @Test
  void aSegmentHoldsAtLeastWhatWasAskedForAndAtMostFourTimesThat() {
    for (int leastBytes : new int[] {0, 1, 255, 256, 257, 1_024, 5_000, 70_000, 262_144}) {
      Segment segment = pool.lease(leastBytes, "the test");
      assertThat(segment.capacity()).isBetween(leastBytes, Math.max(256, 4 * leastBytes));
      assertThat(segment.length()).isZero();
      segment.release();
    }
    assertThat(pool.leasedCount()).isZero();
    assertThatIllegalArgumentException().isThrownBy(() -> pool.lease(-1, "the test"));
    assertThatIllegalArgumentException().isThrownBy(() -> pool(LARGEST_BYTES - 1));
  }

  @Test
  void eachSegmentBeginsOnACacheLineOfItsOwn() {
    SegmentPool roomy = pool(8 << 20);
    Set<Long> seen = new HashSet<>();
    for (int leastBytes : new int[] {100, 256, 257, 1_000, 1_025, 65_536, 100_000}) {
      for (int i = 0; i < 3; i++) {
        Segment segment = roomy.lease(leastBytes, "the test");
        assertThat(segment.address() % 64).isZero();
        assertThat(seen.add(segment.address())).isTrue();
        assertThat(segment.capacity() % 64).isZero();
      }
    }
  }

  @Test
  void theMemoryItselfIsAlignedToo() {
    Segment segment = pool.lease(1, "the test");
    Segment unpooled = pool.lease(LARGEST_BYTES + 1, "the test");

    assertThat(segment.writable().alignmentOffset(0, 64)).isZero();
    assertThat(unpooled.writable().alignmentOffset(0, 64)).isZero();
  }

  @Test
  void whatWasReleasedLastIsLeasedFirst() {
    Segment first = pool.lease(100, "the test");
    Segment second = pool.lease(100, "the test");
    first.release();
    second.release();

    assertThat(pool.lease(100, "the test")).isSameAs(second);
    assertThat(pool.lease(100, "the test")).isSameAs(first);
  }

  @Test
  void theBudgetIsNeverExceededAndLargerSegmentsHelpOut() {
    for (int i = 0; i < 3; i++) {
      assertThat(pool.lease(LARGEST_BYTES, "the test").capacity()).isEqualTo(LARGEST_BYTES);
    }
    Segment lastLarge = pool.lease(LARGEST_BYTES, "the test");
    assertThat(pool.tryLease(1, "the test")).isNull();
    assertThatThrownBy(() -> pool.lease(1, "who needs it"))
        .isInstanceOf(SegmentsExhaustedException.class)
        .hasMessageContaining("1 bytes")
        .hasMessageContaining("who needs it");

    lastLarge.release();
    assertThat(pool.lease(1, "the test")).isSameAs(lastLarge);
    assertThat(pool.reservedBytes()).isEqualTo(1 << 20);
  }

  @Test
  void memoryBeyondTheClassesCountsUntilItIsReleased() {
    Segment large = pool.lease(700_000, "the test");
    assertThat(pool.reservedBytes()).isEqualTo(700_000);
    assertThat(pool.tryLease(400_000, "the test")).isNull();
    assertThat(pool.tryRecover()).isFalse();
    large.release();

    assertThat(pool.reservedBytes()).isZero();
    assertThat(pool.tryRecover()).isTrue();
    pool.lease(400_000, "the test").release();
  }

  @Test
  void theLargestThatIsLeftIsLeasedToWhoTakesWhatItGets() {
    assertThat(pool.tryLeaseLargest(LARGEST_BYTES, "the test").capacity()).isEqualTo(LARGEST_BYTES);
    List<Segment> small = leaseAll(256);
    small.remove(small.size() - 1).release();
    Segment last = pool.tryLeaseLargest(LARGEST_BYTES, "the test");
    assertThat(last.capacity()).isEqualTo(256);
    assertThat(pool.tryLeaseLargest(LARGEST_BYTES, "the test")).isNull();
    small.get(0).release();
    assertThat(pool.tryRecover()).isTrue();
  }

  @Test
  void whatOtherThreadsReleaseComesHomeWhenItIsAskedForOrNeeded() throws InterruptedException {
    Segment first = pool.lease(100, "the test");
    List<Segment> all = leaseAll(256);
    elsewhere(first::release);
    assertThat(pool.leasedCount()).isEqualTo(all.size() + 1);
    assertThat(pool.takeReturns()).isEqualTo(1);
    assertThat(pool.leasedCount()).isEqualTo(all.size());

    Segment again = pool.lease(100, "the test");
    elsewhere(again::release);
    // Without anybody having asked for the returns.
    assertThat(pool.lease(100, "the test")).isSameAs(again);
  }

  @Test
  void nobodyIsWokenWhileSegmentsAreLeft() throws InterruptedException {
    Segment segment = pool.lease(100, "the test");
    elsewhere(segment::release);

    assertThat(wakeUps).hasValue(0);
    assertThat(pool.hasReturnsForStarved()).isFalse();
    assertThat(pool.tryRecover()).isFalse();
  }

  @Test
  void anEmptyPoolIsWokenByWhatComesHomeAndRecoversOnce() throws InterruptedException {
    List<Segment> all = leaseAll(256);
    assertThat(pool.tryRecover()).isFalse();
    elsewhere(all.get(0)::release);
    assertThat(wakeUps).hasValue(1);
    assertThat(pool.hasReturnsForStarved()).isTrue();
    pool.takeReturns();

    assertThat(pool.tryRecover()).isTrue();
    assertThat(pool.tryRecover()).isFalse();
    elsewhere(all.get(1)::release);
    assertThat(wakeUps).hasValue(1);
  }

  @Test
  void aReleaseOnTheShardLetsItRecoverToo() {
    List<Segment> all = leaseAll(256);
    all.get(0).release();

    assertThat(pool.tryRecover()).isTrue();
  }

  @Test
  void itRecoversOnlyWhenTheLeastThatWasRefusedIsThere() {
    Segment large = pool.lease(LARGEST_BYTES, "the test");
    List<Segment> small = leaseAll(256);
    assertThat(pool.tryRecover()).isFalse();
    small.get(0).release();
    assertThat(pool.tryRecover()).isTrue();
    assertThat(pool.tryLease(1_000, "the test")).isNull();
    assertThat(pool.tryLease(LARGEST_BYTES, "the test")).isNull();
    // A small one is free, but nobody waits for one.
    assertThat(pool.tryRecover()).isFalse();

    large.release();
    assertThat(pool.tryRecover()).isTrue();
  }

  @Test
  void aSecondReleaseFailsOnWhicheverThread() throws InterruptedException {
    Segment segment = pool.lease(100, "the owner");
    elsewhere(segment::release);
    assertThatThrownBy(segment::release).isInstanceOf(IllegalStateException.class);
    elsewhere(
        () -> assertThatThrownBy(segment::release).hasMessageContaining("last owned by the owner"));
    pool.takeReturns();
    assertThat(pool.leasedCount()).isZero();
  }

  @Test
  void onlyTheShardLeases() throws InterruptedException {
    elsewhere(
        () ->
            assertThatThrownBy(() -> pool.tryLease(1, "elsewhere"))
                .isInstanceOf(AssertionError.class));
  }

  @Test
  void noReleaseIsLostBetweenManyThreadsAndAShardThatWaitsForOne() throws InterruptedException {
    int threadCount = 3;
    int rounds = 20_000;
    SegmentPool small = pool(LARGEST_BYTES);
    BlockingQueue<Segment> out = new LinkedBlockingQueue<>();
    List<Thread> releasing = new ArrayList<>();
    for (int i = 0; i < threadCount; i++) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  for (Segment s = out.take(); s.capacity() <= 65_536; s = out.take()) {
                    s.release();
                  }
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      thread.start();
      releasing.add(thread);
    }
    for (int i = 0; i < rounds; i++) {
      Segment segment = small.tryLease(65_536, "round");
      long giveUpNanos = System.nanoTime() + 10_000_000_000L;
      while (segment == null) {
        // As a shard that sleeps until it is woken for a return.
        int woken = wakeUps.get();
        if (!small.hasReturnsForStarved()) {
          while (wakeUps.get() == woken && !small.hasReturnsForStarved()) {
            assertThat(System.nanoTime() - giveUpNanos).as("waiting for a return").isNegative();
            Thread.onSpinWait();
          }
        }
        small.takeReturns();
        segment = small.tryRecover() ? small.tryLease(65_536, "round") : null;
      }
      out.add(segment);
    }
    for (Segment end : unpooledEnds(threadCount)) {
      out.add(end);
    }
    for (Thread thread : releasing) {
      thread.join();
    }
    small.takeReturns();

    assertThat(small.leasedCount()).isZero();
    assertThat(small.reservedBytes()).isEqualTo(LARGEST_BYTES);
  }

  private static List<Segment> unpooledEnds(int count) {
    SharedSegmentPool shared = new SharedSegmentPool(direct -> 0, 1 << 20);
    List<Segment> ends = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ends.add(shared.lease(LARGEST_BYTES, "end"));
    }
    return ends;
  }

  @Test
  void leasingAndReleasingAllocatesNothing() {
    Runnable round =
        () -> {
          Segment small = pool.lease(100, "the test");
          Segment large = pool.lease(10_000, "the test");
          small.release();
          large.release();
        };

    assertThat(AllocatedBytes.whileRepeating(50_000, round)).isLessThan(20_000);
  }

  @Test
  void whereTheJvmHasLessDirectMemoryThanTheBudgetThatIsTheLimit() throws Exception {
    assertThat(
            ForkedJvm.of(LittleMemoryMain.class)
                .jvmFlags("-XX:MaxDirectMemorySize=4m")
                .run()
                .successfulOutput())
        .contains("leased less than 4 MiB, recovers: false, after a release: true, again: true");
  }

  /** Leases until there is nothing left, in a JVM with little direct memory. */
  public static final class LittleMemoryMain {
    public static void main(String[] args) {
      SegmentPool pool = new SegmentPool(direct -> 0, 64 << 20, () -> 0, () -> {});
      pool.confineToCurrentThread();
      List<Segment> leased = new ArrayList<>();
      for (Segment s = pool.tryLease(LARGEST_BYTES, "main");
          s != null;
          s = pool.tryLease(LARGEST_BYTES, "main")) {
        leased.add(s);
      }
      boolean less = !leased.isEmpty() && (long) leased.size() * LARGEST_BYTES < 4 << 20;
      boolean recovers = pool.tryRecover();
      leased.get(0).release();
      boolean recovered = pool.tryRecover();
      boolean again = pool.tryLease(LARGEST_BYTES, "main") != null;
      System.out.println(
          (less ? "leased less than 4 MiB" : "leased " + leased.size())
              + ", recovers: "
              + recovers
              + ", after a release: "
              + recovered
              + ", again: "
              + again);
    }
  }

  private List<Segment> leaseAll(int leastBytes) {
    List<Segment> all = new ArrayList<>();
    for (Segment s = pool.tryLease(leastBytes, "the test");
        s != null;
        s = pool.tryLease(leastBytes, "the test")) {
      all.add(s);
    }
    return all;
  }

  private static void elsewhere(Runnable action) throws InterruptedException {
    Throwable[] thrown = new Throwable[1];
    Thread thread = new Thread(action, "elsewhere");
    thread.setUncaughtExceptionHandler((who, failure) -> thrown[0] = failure);
    thread.start();
    thread.join();
    assertThat(thrown[0]).isNull();
  }
}
