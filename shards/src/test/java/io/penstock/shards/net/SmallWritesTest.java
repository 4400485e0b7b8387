package io.penstock.shards.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.loop.LoopOptions;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.poller.IoResult;
import io.penstock.shards.testing.FakeStreamSocket;
import io.penstock.shards.testing.SteppedShard;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which segments are copied together before they leave, and which are not. */
class SmallWritesTest extends ConnectionStepTest {
  private static final int COPY_BELOW_BYTES = 100;
  private static final String LARGE = "L".repeat(COPY_BELOW_BYTES);

  SmallWritesTest() {
    super(new SteppedShard(LoopOptions.defaults(), 1 << 20, COPY_BELOW_BYTES));
  }

  @Test
  void smallSegmentsLeaveAsOneAndComeHomeAtOnce() {
    FakeStreamSocket socket = accept();
    String expected = "";
    for (int i = 0; i < 25; i++) {
      String text = "message number %02d of thirty-six bytes".formatted(i).substring(0, 36);
      writeAcked(text);
      expected += text;
    }
    assertThat(shard.pool().leasedCount()).isLessThanOrEqualTo(4);

    shard.turn();

    assertThat(peerGot(socket)).isEqualTo(expected);
    assertThat(acks).hasSize(25);
    assertThat(shard.count(Counter.PLAIN_SENDS) + shard.count(Counter.GATHERS)).isEqualTo(1);
    assertThat(shard.count(Counter.SEGMENTS_COPIED)).isGreaterThanOrEqualTo(20);
  }

  @Test
  void aSingleSmallSegmentIsNotCopied() {
    FakeStreamSocket socket = accept();
    write("alone");
    shard.turn();

    assertThat(peerGot(socket)).isEqualTo("alone");
    assertThat(shard.count(Counter.PLAIN_SENDS)).isEqualTo(1);
    assertThat(shard.count(Counter.SEGMENTS_COPIED)).isZero();
  }

  @Test
  void largeSegmentsGoByReferenceAndSmallOnesBehindThemUseTheirRoom() {
    FakeStreamSocket socket = accept();
    write(LARGE);
    write("x");
    write(LARGE);
    write(LARGE);
    shard.turn();

    assertThat(peerGot(socket)).isEqualTo(LARGE + "x" + LARGE + LARGE);
    assertThat(shard.count(Counter.GATHERS)).isEqualTo(1);
    assertThat(shard.count(Counter.SEGMENTS_COPIED)).isEqualTo(1);
  }

  @Test
  void aSmallSegmentBehindAFullLargeOneIsNotWorthACopyOfTheLargeOne() {
    FakeStreamSocket socket = accept();
    Segment full = shard.pool().lease(1, "the test");
    String text = "f".repeat(full.capacity());
    full.append(bytes(text), 0, text.length());
    connection().write(full);
    write("x");
    shard.turn();

    assertThat(peerGot(socket)).isEqualTo(text + "x");
    assertThat(shard.count(Counter.SEGMENTS_COPIED)).isZero();
  }

  @Test
  void whatTheKernelHoldsIsNotTouched() {
    FakeStreamSocket socket = accept();
    socket.nextWrite(IoResult.PENDING);
    write("first");
    shard.turn();
    write("second");
    write("third");
    shard.turn();

    socket.completeWrite(2);
    shard.turnUntilIdle();

    assertThat(peerGot(socket)).isEqualTo("firstsecondthird");
    assertThat(shard.count(Counter.SEGMENTS_COPIED)).isEqualTo(1);
  }

  @Test
  void whatWasCutIsFollowedByWhatWasCopiedBehindIt() {
    FakeStreamSocket socket = accept();
    socket.nextWrite(3);
    write("one ");
    shard.turn();
    write("two ");
    write("three");
    socket.becomeWritable();
    shard.turnUntilIdle();

    assertThat(peerGot(socket)).isEqualTo("one two three");
  }

  @Test
  void withoutMemoryForTheCopyTheyGoByReference() {
    FakeStreamSocket socket = accept();
    Segment first = fullOf('a');
    Segment second = fullOf('b');
    String expected = text(first.toByteArray()) + text(second.toByteArray());
    List<Segment> all = new ArrayList<>();
    for (Segment s = largest(); s != null; s = largest()) {
      all.add(s);
    }
    connection().write(first);
    connection().write(second);
    shard.turn();
    all.forEach(Segment::release);

    assertThat(peerGot(socket)).isEqualTo(expected);
    assertThat(shard.count(Counter.SEGMENTS_COPIED)).isZero();
  }

  private Segment largest() {
    return shard.pool().tryLeaseLargest(1 << 18, "the test");
  }

  /** Small, and with no room behind what is in it. */
  private Segment fullOf(char letter) {
    Segment segment = shard.pool().lease(1, "the test");
    String text = String.valueOf(letter).repeat(segment.capacity());
    segment.append(bytes(text), 0, text.length());
    segment.range(segment.capacity() - 10, segment.capacity());
    return segment;
  }
}
