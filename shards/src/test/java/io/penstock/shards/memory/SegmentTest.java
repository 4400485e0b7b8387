package io.penstock.shards.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.shards.testing.ForkedJvm;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** One segment: its range, its owner, its end. These tests run in strict mode. */
class SegmentTest {
  private final SharedSegmentPool pool = new SharedSegmentPool(direct -> 0, 1 << 20);

  @Test
  void itHoldsWhatWasAppendedAndNoMore() {
    Segment segment = pool.lease(256, "the test");
    assertThat(segment.capacity()).isEqualTo(256);
    assertThat(segment.room()).isEqualTo(256);
    assertThat(segment.length()).isZero();

    assertThat(segment.append(new byte[] {9, 1, 2, 3, 9}, 1, 3)).isEqualTo(3);
    ByteBuffer source = ByteBuffer.allocate(300).position(10);
    assertThat(segment.append(source)).isEqualTo(253);
    assertThat(source.position()).isEqualTo(263);
    assertThat(segment.append(new byte[1], 0, 1)).isZero();

    assertThat(segment.room()).isZero();
    assertThat(segment.byteAt(1)).isEqualTo((byte) 2);
    segment.consume(2);
    assertThat(segment.length()).isEqualTo(254);
    assertThat(segment.toByteArray()).startsWith(3, 0).hasSize(254);
    byte[] part = new byte[4];
    segment.copyTo(0, part, 1, 2);
    assertThat(part).containsExactly(0, 3, 0, 0);
    segment.release();
  }

  @Test
  void theReadablePartAndTheRoomAreShownAsBuffers() {
    Segment segment = pool.lease(256, "the test");
    segment.writable().put(new byte[] {1, 2, 3, 4});
    segment.range(1, 3);
    ByteBuffer readable = segment.readable();
    assertThat(readable.remaining()).isEqualTo(2);
    assertThat(readable.get(readable.position())).isEqualTo((byte) 2);
    assertThat(segment.writable().remaining()).isEqualTo(253);
    segment.release();
  }

  @Test
  void oneSegmentIsAppendedToAnotherAndStaysAsItIs() {
    Segment from = pool.lease(256, "the test");
    from.append(new byte[] {1, 2, 3}, 0, 3);
    from.consume(1);
    Segment to = pool.lease(256, "the test");
    to.append(new byte[] {9}, 0, 1);
    assertThat(to.append(from)).isEqualTo(2);

    assertThat(to.toByteArray()).containsExactly(9, 2, 3);
    assertThat(from.length()).isEqualTo(2);
    from.release();
    to.release();
  }

  @Test
  void rangesOutsideOfItAreRefused() {
    Segment segment = pool.lease(256, "the test");
    segment.range(10, 20);
    List<Consumer<Segment>> outside =
        List.of(
            s -> s.range(-1, 5),
            s -> s.range(5, 4),
            s -> s.range(0, 257),
            s -> s.consume(11),
            s -> s.consume(-1),
            s -> s.byteAt(10),
            s -> s.byteAt(-1),
            s -> s.copyTo(0, new byte[20], 0, 11),
            s -> s.copyTo(9, new byte[20], 0, 2));
    for (Consumer<Segment> use : outside) {
      assertThatThrownBy(() -> use.accept(segment)).isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThat(segment.from()).isEqualTo(10);
    assertThat(segment.to()).isEqualTo(20);
    segment.release();
  }

  @Test
  void aSecondReleaseFailsAndNamesTheLastOwner() {
    Segment segment = pool.lease(100, "the first owner");
    segment.passTo("the last owner");
    segment.release();

    assertThatThrownBy(segment::release)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("released twice")
        .hasMessageContaining("last owned by the last owner");
    assertThat(pool.leasedCount()).isZero();
  }

  @Test
  void anyUseAfterReleaseFailsAndNamesTheLastOwner() {
    Segment other = pool.lease(100, "another");
    Segment segment = pool.lease(100, "the last owner");
    segment.append(new byte[] {1, 2}, 0, 2);
    segment.release();
    List<Consumer<Segment>> uses =
        List.of(
            Segment::from,
            Segment::to,
            Segment::length,
            Segment::room,
            Segment::address,
            Segment::readable,
            Segment::writable,
            Segment::toByteArray,
            s -> s.range(0, 1),
            s -> s.consume(1),
            s -> s.byteAt(0),
            s -> s.append(new byte[1], 0, 1),
            s -> s.append(ByteBuffer.allocate(1)),
            s -> s.append(other),
            other::append,
            s -> s.copyTo(0, new byte[1], 0, 1),
            s -> s.passTo("somebody"));
    for (Consumer<Segment> use : uses) {
      assertThatThrownBy(() -> use.accept(segment))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("used after release")
          .hasMessageContaining("last owned by the last owner");
    }
    other.release();
  }

  @Test
  void itIsReleasedForItsOwnerOnlyWhileThatOwnsIt() {
    Segment segment = pool.lease(100, "first");
    String second = "second";
    segment.passTo(second);
    segment.releaseIfOwnedBy("first");
    assertThat(pool.leasedCount()).isEqualTo(1);
    segment.releaseIfOwnedBy(second);
    assertThat(pool.leasedCount()).isZero();
    segment.releaseIfOwnedBy(second);
    assertThat(pool.leasedCount()).isZero();
  }

  @Test
  void withoutStrictModeASecondReleaseFailsAllTheSame() throws Exception {
    assertThat(ForkedJvm.of(LenientMain.class).run().successfulOutput())
        .isEqualTo("read 2 bytes of a released segment; released twice, as told");
  }

  /** Runs without the flag that the tests run with. */
  public static final class LenientMain {
    public static void main(String[] args) {
      Segment segment = new SharedSegmentPool(direct -> 0, 1 << 20).lease(10, "the owner");
      segment.append(new byte[2], 0, 2);
      segment.release();
      String read = "read " + segment.toByteArray().length + " bytes of a released segment";
      try {
        segment.release();
        System.out.println(read);
      } catch (IllegalStateException e) {
        System.out.println(
            read + (e.getMessage().contains("the owner") ? "; released twice, as told" : ""));
      }
    }
  }
}
