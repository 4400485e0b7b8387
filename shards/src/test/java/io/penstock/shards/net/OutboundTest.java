package io.penstock.shards.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.memory.Segment;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.poller.IoResult;
import io.penstock.shards.poller.StreamSocket;
import io.penstock.shards.testing.FakeStreamSocket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How writes leave, whatever the kernel takes of them. */
class OutboundTest extends ConnectionStepTest {
  private static final int LARGE_BYTES = 1 << 18;

  @Test
  void allWritesOfATurnLeaveAtItsEndInOneGather() {
    FakeStreamSocket socket = accept();
    shard.loop().execute(() -> writeAcked("a"));
    shard.loop().execute(() -> writeAcked("b"));
    shard.loop().execute(() -> assertThat(socket.writes()).isZero());
    shard.loop().execute(() -> writeAcked("c"));
    shard.turn();

    assertThat(socket.writes()).isEqualTo(1);
    assertThat(peerGot(socket)).isEqualTo("abc");
    assertThat(acks).containsExactly("a", "b", "c");
    assertThat(shard.count(Counter.GATHERS)).isEqualTo(1);
    assertThat(shard.count(Counter.SENT_BYTES)).isEqualTo(3);
  }

  @Test
  void thereIsOneWriteInFlightAndTheQueueGrowsMeanwhile() {
    FakeStreamSocket socket = accept();
    socket.nextWrite(IoResult.PENDING);
    writeAcked("first ");
    shard.turnUntilIdle();
    writeAcked("second ");
    shard.turnUntilIdle();
    writeAcked("third");
    shard.turnUntilIdle();
    socket.becomeWritable();
    shard.turnUntilIdle();
    assertThat(socket.writes()).isEqualTo(1);

    socket.completeWrite(6);
    shard.turnUntilIdle();

    assertThat(socket.writes()).isEqualTo(2);
    assertThat(peerGot(socket)).isEqualTo("first second third");
    assertThat(acks).containsExactly("first ", "second ", "third");
  }

  @Test
  void aPendingWriteThatEndsShortIsFollowedByItsRest() {
    FakeStreamSocket socket = accept();
    socket.nextWrite(IoResult.PENDING);
    writeAcked("abc");
    writeAcked("def");
    shard.turnUntilIdle();
    socket.nextWrite(IoResult.PENDING);
    socket.completeWrite(4);
    shard.turnUntilIdle();
    assertThat(acks).containsExactly("abc");

    socket.completeWrite(2);
    shard.turnUntilIdle();

    assertThat(peerGot(socket)).isEqualTo("abcdef");
    assertThat(acks).containsExactly("abc", "def");
  }

  @Test
  void whatWaitsForThePeerIsKeptInMemoryOfItsSize() {
    FakeStreamSocket socket = accept();
    socket.nextWrite(LARGE_BYTES - 4);
    connection().write(large("the rest", LARGE_BYTES));
    shard.turnUntilIdle();
    connection().write(large(" and more", 9));
    long reservedBytes = shard.pool().reservedBytes();

    // The second write found the first one's large segment free, and left it free itself.
    shard.pool().lease(LARGE_BYTES, "the test").release();
    assertThat(shard.pool().reservedBytes()).isEqualTo(reservedBytes).isLessThan(2L * LARGE_BYTES);
    socket.becomeWritable();
    shard.turnUntilIdle();

    assertThat(peerGot(socket)).hasSize(LARGE_BYTES + 9).endsWith("the rest and more");
  }

  @Test
  void whatWaitsStaysWhereItIsWhenThePoolHasNoMemoryOfItsSize() {
    FakeStreamSocket socket = accept();
    socket.nextWrite(LARGE_BYTES - 4);
    connection().write(large("the rest", LARGE_BYTES));
    List<Segment> all = new ArrayList<>();
    for (Segment s = lease(); s != null; s = lease()) {
      all.add(s);
    }
    shard.turnUntilIdle();
    all.forEach(Segment::release);
    socket.becomeWritable();
    shard.turnUntilIdle();

    assertThat(peerGot(socket)).hasSize(LARGE_BYTES).endsWith("the rest");
  }

  private Segment lease() {
    return shard.pool().tryLeaseLargest(LARGE_BYTES, "the test");
  }

  /** A segment of the largest class with that many bytes, the text at their end. */
  private Segment large(String text, int lengthBytes) {
    Segment segment = shard.pool().lease(LARGE_BYTES, "the test");
    segment.range(0, lengthBytes - text.length());
    segment.append(bytes(text), 0, text.length());
    return segment;
  }

  @Test
  void aWriteThatIsCutGoesOnWhereItWasCutOnceThereIsRoom() {
    FakeStreamSocket socket = accept();
    socket.nextWrite(4);
    writeAcked("abc");
    writeAcked("def");
    writeAcked("ghi");
    shard.turnUntilIdle();
    assertThat(socket.isWritableWanted()).isTrue();
    assertThat(acks).containsExactly("abc");
    shard.turnUntilIdle();
    assertThat(socket.writes()).isEqualTo(1);

    for (int i = 0; i < 5; i++) {
      socket.nextWrite(1);
      socket.becomeWritable();
      shard.turnUntilIdle();
    }

    assertThat(peerGot(socket)).isEqualTo("abcdefghi");
    assertThat(acks).containsExactly("abc", "def", "ghi");
  }

  @Test
  void aKernelWithoutRoomIsNotAskedAgainUntilItSaysSo() {
    FakeStreamSocket socket = accept();
    socket.nextWrite(IoResult.WOULD_BLOCK);
    writeAcked("abc");
    shard.turnUntilIdle();
    writeAcked("def");
    shard.turnUntilIdle();
    assertThat(socket.writes()).isEqualTo(1);
    assertThat(acks).isEmpty();

    socket.becomeWritable();
    shard.turnUntilIdle();

    assertThat(socket.writes()).isEqualTo(2);
    assertThat(peerGot(socket)).isEqualTo("abcdef");
  }

  @Test
  void onlyTheWritesThatDidNotLeaveFail() {
    FakeStreamSocket socket = accept();
    socket.nextWrite(4);
    writeAcked("abc");
    writeAcked("def");
    shard.turnUntilIdle();
    socket.nextWrite(IoResult.ECONNRESET);
    socket.becomeWritable();
    shard.turnUntilIdle();

    assertThat(acks).containsExactly("abc", "def failed: PeerReset");
  }

  @Test
  void moreSegmentsThanOneGatherTakesLeaveWithoutWaitingForRoom() {
    for (int count : List.of(1_023, 1_024, 1_025, 5_000)) {
      FakeStreamSocket socket = accept();
      StringBuilder sent = new StringBuilder();
      for (int i = 0; i < count; i++) {
        String piece = Character.toString('a' + i % 26);
        sent.append(piece);
        write(piece);
      }
      shard.turn();

      assertThat(peerGot(socket)).isEqualTo(sent.toString());
      assertThat(socket.writes()).isEqualTo((count - 1) / StreamSocket.MAX_GATHER_SEGMENTS + 1);
      connection().abort();
      shard.turnUntilIdle();
      handler.calls().clear();
    }
  }

  @Test
  void emptyWritesAreAcknowledgedInTheirPlaceAndReachNoSocket() {
    FakeStreamSocket socket = accept();
    writeAcked("");
    for (int i = 0; i < 1_000; i++) {
      write("");
    }
    writeAcked("");
    shard.turnUntilIdle();
    assertThat(socket.writes()).isZero();
    assertThat(acks).containsExactly("", "");

    acks.clear();
    socket.nextWrite(1);
    writeAcked("");
    writeAcked("a");
    writeAcked("");
    writeAcked("b");
    writeAcked("");
    shard.turnUntilIdle();
    assertThat(acks).containsExactly("", "a", "");
    socket.becomeWritable();
    shard.turnUntilIdle();

    assertThat(acks).containsExactly("", "a", "", "b", "");
    assertThat(peerGot(socket)).isEqualTo("ab");
  }

  @Test
  void aboveTheHighMarkWritesAreRefusedUntilTheQueueIsBelowTheLowOne() {
    FakeStreamSocket socket = accept(ConnectionOptions.defaults().withWatermarks(4, 10));
    socket.nextWrite(IoResult.WOULD_BLOCK);
    write("0123456789");
    Segment refused = segment("x");
    assertThat(connection().isWritable()).isFalse();
    assertThat(connection().tryWrite(refused)).isFalse();
    shard.turnUntilIdle();
    socket.nextWrite(5);
    socket.becomeWritable();
    shard.turnUntilIdle();
    assertThat(handler.calls()).containsExactly("opened");
    assertThat(connection().tryWrite(refused)).isFalse();

    socket.nextWrite(1);
    socket.becomeWritable();
    shard.turnUntilIdle();

    assertThat(handler.calls()).containsExactly("opened", "writable");
    assertThat(connection().tryWrite(refused)).isTrue();
    assertThat(connection().queuedBytes()).isEqualTo(5);
  }

  @Test
  void anAckMayWriteAndClose() {
    FakeStreamSocket socket = accept();
    connection()
        .tryWrite(
            segment("a"),
            new WriteAck() {
              @Override
              public void onWritten() {
                writeAcked("b");
                connection().close();
              }

              @Override
              public void onFailed(CloseReason reason) {
                acks.add("failed");
              }
            });
    shard.turnUntilIdle();

    assertThat(peerGot(socket)).isEqualTo("ab");
    assertThat(acks).containsExactly("b");
    assertThat(socket.isFinished()).isTrue();
  }

  @Test
  void anAckThatEndsTheConnectionFailsThoseBehindItThatDidNotLeave() {
    FakeStreamSocket socket = accept();
    socket.nextWrite(1);
    connection()
        .tryWrite(
            segment("a"),
            new WriteAck() {
              @Override
              public void onWritten() {
                acks.add("a");
                connection().abort();
              }

              @Override
              public void onFailed(CloseReason reason) {
                acks.add("a failed");
              }
            });
    writeAcked("b");
    shard.turnUntilIdle();

    assertThat(acks).containsExactly("a", "b failed: Aborted");
    assertThat(socket.isReset()).isTrue();
  }

  @Test
  void writesOfOneOtherThreadKeepTheirOrderAndCostOneVisit() throws InterruptedException {
    FakeStreamSocket socket = accept();
    ConnectionRef ref = connection().ref();
    List<Segment> segments = new ArrayList<>();
    StringBuilder sent = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      segments.add(segment("<" + i + ">"));
      sent.append('<').append(i).append('>');
    }
    long tasksBefore = shard.count(Counter.INBOX_TASKS);
    Thread writer = new Thread(() -> segments.forEach(ref::tryWrite));
    writer.start();
    writer.join();
    shard.turnUntilIdle();

    assertThat(peerGot(socket)).isEqualTo(sent.toString());
    assertThat(shard.count(Counter.INBOX_TASKS) - tasksBefore).isEqualTo(1);
  }

  @Test
  void whatARefTakesForAConnectionThatHasEndedIsReleased() throws InterruptedException {
    accept();
    ConnectionRef ref = connection().ref();
    List<Segment> segments = List.of(segment("one"), segment("two"));
    connection().abort();
    shard.turnUntilIdle();
    Thread writer = new Thread(() -> segments.forEach(ref::tryWrite));
    writer.start();
    writer.join();
    shard.turnUntilIdle();

    assertThat(shard.pool().leasedCount()).isZero();
  }
}
