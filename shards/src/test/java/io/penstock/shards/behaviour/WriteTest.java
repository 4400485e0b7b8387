package io.penstock.shards.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.core.SocketOption;
import io.penstock.shards.core.SocketOptions;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.metrics.CounterSnapshot;
import io.penstock.shards.net.CloseReason;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ConnectionOptions;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.net.WriteAck;
import io.penstock.shards.net.WriteRefusedException;
import io.penstock.shards.testing.CpuUse;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.Pattern;
import io.penstock.shards.testing.PatternSource;
import io.penstock.shards.testing.RawPeer;
import io.penstock.shards.testing.RecordingAcks;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.TestNet;
import io.penstock.shards.testing.Transport;
import io.penstock.shards.testing.Wait;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;

class WriteTest {
  private static final int GATHER_LIMIT = 1024;
  private static final int REFUSED_FOR_GOOD = 20;

  private final Pattern pattern = new Pattern(7);

  // B13
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void batchesOfMorePiecesThanOneGatherTakesArriveInOrder(TestNet net) throws Exception {
    net.start(options -> options.withCopyBelowBytes(0));
    RecordingHandler handler = RecordingHandler.silent();
    RawPeer peer = net.accepted(handler);
    Pattern.Check check = pattern.check();
    for (int pieces : new int[] {1023, 1024, 1025, 5000, 1025, 2049, 5000}) {
      long position = check.count();
      CounterSnapshot before = net.shard().counters();

      handler.tell(connection -> writeBytewise(connection, position, pieces));
      peer.receive(check, pieces);

      long sends =
          handler.ask(connection -> net.shard().counters().since(before).get(Counter.SENDS));
      assertThat(sends)
          .as("writes for %d pieces", pieces)
          .isBetween(1L, (pieces + GATHER_LIMIT - 1L) / GATHER_LIMIT);
    }
    check.requireExactly(check.count());
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void manySmallPiecesLeaveAsOneWrite(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.silent();
    RawPeer peer = net.accepted(handler);
    Pattern.Check check = pattern.check();
    CounterSnapshot before = net.shard().counters();

    handler.tell(connection -> writeBytewise(connection, 0, 4096));
    peer.receive(check, 4096);

    check.requireExactly(4096);
    CounterSnapshot since = handler.ask(connection -> net.shard().counters().since(before));
    assertThat(since.get(Counter.SENDS)).isEqualTo(1);
  }

  private void writeBytewise(Connection connection, long position, int pieces) {
    for (int i = 0; i < pieces; i++) {
      connection.write(PatternSource.segment(connection, pattern, position + i, 1));
    }
  }

  // B14
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void partialWritesGoOnAtTheRightByte(TestNet net) throws Exception {
    writeThroughSmallBuffer(net, 1 << 20);
  }

  // B14
  @Tag("slow")
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void partialWritesGoOnAtTheRightByteForLong(TestNet net) throws Exception {
    writeThroughSmallBuffer(net, 16 << 20);
  }

  private void writeThroughSmallBuffer(TestNet net, int totalBytes) throws Exception {
    net.start(options -> options.withSegmentBudgetBytes(32 << 20));
    ListenOptions options =
        ListenOptions.defaults()
            .withAcceptedSocket(SocketOptions.none().with(SocketOption.SO_SNDBUF, 4096))
            .withConnection(ConnectionOptions.defaults().withWatermarks(1 << 20, 8 << 20));
    RecordingAcks acks = new RecordingAcks();
    Batches batches = new Batches(acks, totalBytes);
    RecordingHandler handler = RecordingHandler.silent();
    RawPeer peer = net.accepted(options, handler);

    handler.tell(batches::writeNext);
    Pattern.Check check = pattern.check();
    while (check.count() < totalBytes) {
      peer.receive(check, Math.min(1000, totalBytes - check.count()));
    }

    Wait.until("all is acknowledged", () -> acks.told() == handler.ask(c -> batches.number));
    check.requireExactly(totalBytes);
    assertThat(acks.failed()).isEmpty();
    assertThat(acks.written()).isEqualTo(range(0, acks.told()));
  }

  /** Writes batches of different kinds, each when the one before has left. On the shard. */
  private final class Batches {
    private static final int[] PIECES = {1, 2, 17, 300};

    private final RecordingAcks acks;
    private final int totalBytes;
    private final Random sizes = new Random(5);
    private int position;
    private int batch;
    private int number;

    Batches(RecordingAcks acks, int totalBytes) {
      this.acks = acks;
      this.totalBytes = totalBytes;
    }

    void writeNext(Connection connection) {
      int pieces = PIECES[batch++ % PIECES.length];
      for (int i = 1; i <= pieces && position < totalBytes; i++) {
        int lengthBytes = Math.min(1 + sizes.nextInt(9000), totalBytes - position);
        boolean last = i == pieces || position + lengthBytes == totalBytes;
        Segment segment = PatternSource.segment(connection, pattern, position, lengthBytes);
        position += lengthBytes;
        var ack = acks.ack(number++);
        boolean taken =
            connection.tryWrite(segment, last ? new ThenWriteNext(ack, this, connection) : ack);
        assertThat(taken).isTrue();
      }
    }
  }

  private record ThenWriteNext(WriteAck ack, Batches batches, Connection connection)
      implements WriteAck {
    @Override
    public void onWritten() {
      ack.onWritten();
      batches.writeNext(connection);
    }

    @Override
    public void onFailed(CloseReason reason) {
      ack.onFailed(reason);
    }
  }

  // B17
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void emptyWritesAreAcknowledgedInOrderAndPutNothingOnTheWire(TestNet net) throws Exception {
    RecordingAcks acks = new RecordingAcks();
    RecordingHandler handler = RecordingHandler.silent();
    RawPeer peer = net.accepted(handler);
    // Alone, a thousand in a row, first, last, between, and only empties again.
    List<int[]> batches =
        List.of(
            new int[1],
            new int[1000],
            new int[] {0, 3},
            new int[] {3, 0},
            new int[] {0, 0, 3, 0, 0, 4, 0, 0},
            new int[3]);
    int writes = 0;
    for (int[] lengths : batches) {
      int first = writes;
      long before = handler.ask(c -> net.shard().counters().get(Counter.SENDS));
      handler.tell(connection -> writeAll(connection, lengths, acks, first));
      writes += lengths.length;
      int told = writes;
      Wait.until("the batch is acknowledged", () -> acks.told() == told);
      long sends = handler.ask(c -> net.shard().counters().get(Counter.SENDS)) - before;
      assertThat(sends).isEqualTo(IntStream.of(lengths).sum() == 0 ? 0 : 1);
    }

    assertThat(acks.written()).isEqualTo(range(0, writes));
    assertThat(peer.receive(13)).containsOnly('x');
    CpuUse.requireIdle(Duration.ofMillis(200));
    assertThat(handler.isClosed()).isFalse();
    handler.tell(Connection::close);
    assertThat(peer.discardToEnd()).isZero();
  }

  private static void writeAll(
      Connection connection, int[] lengths, RecordingAcks acks, int firstNumber) {
    for (int i = 0; i < lengths.length; i++) {
      byte[] bytes = "x".repeat(lengths[i]).getBytes(StandardCharsets.US_ASCII);
      Segment segment = PatternSource.filled(connection, bytes);
      assertThat(connection.tryWrite(segment, acks.ack(firstNumber + i))).isTrue();
    }
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void anEndFailsTheWritesThatHaveNotLeftAndNoOthers(TestNet net) throws Exception {
    RecordingAcks acks = new RecordingAcks();
    RecordingHandler handler = RecordingHandler.silent();
    RawPeer peer = net.accepted(withWatermarks(1 << 20, 4 << 20), handler);
    handler.tell(
        connection -> {
          for (int i = 0; connection.isWritable(); i++) {
            Segment segment = PatternSource.segment(connection, pattern, 0, 1 << 12);
            connection.tryWrite(segment, acks.ack(i));
          }
        });
    Wait.until("the first write has left", () -> !acks.written().isEmpty());
    handler.tell(connection -> assertThat(connection.queuedBytes()).isPositive());

    peer.reset();

    CloseReason reason = handler.awaitClosed();
    int left = acks.written().size();
    assertThat(acks.written()).isEqualTo(range(0, left));
    assertThat(acks.failed()).isNotEmpty().isEqualTo(range(left, acks.told()));
    assertThat(acks.reason()).isEqualTo(reason);
    assertThat(reason).isInstanceOf(CloseReason.PeerReset.class);
  }

  // B14, the end of it
  @EachBackend
  void aWriteThatHasLeftIsNotFailedByAnEndInTheSameTurn(TestNet net) throws Exception {
    RecordingAcks acks = new RecordingAcks();
    RecordingHandler handler = RecordingHandler.reading();
    handler.whenReceived(
        (connection, segment) -> {
          segment.release();
          if (handler.segments() == 1) {
            // Large enough to leave at once.
            connection.tryWrite(
                PatternSource.segment(connection, pattern, 0, 1 << 15), acks.ack(0));
          } else {
            connection.tryWrite(PatternSource.segment(connection, pattern, 0, 10), acks.ack(1));
            connection.abort();
          }
        });
    RawPeer peer = net.accepted(handler);
    var release = net.holdUp(net.shard());
    peer.sendUntilFull(pattern, 2 << 20);
    release.countDown();

    handler.awaitClosed();
    assertThat(acks.told()).isEqualTo(2);
    long sent = net.shard().counters().get(Counter.SENT_BYTES);
    assertThat(acks.written()).isEqualTo(sent >= 1 << 15 ? List.of(0) : List.of());
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void writesAreRefusedAboveTheHighWatermarkAndTakenBelowTheLow(TestNet net) throws Exception {
    int low = 64 << 10;
    int high = 256 << 10;
    int piece = 16 << 10;
    RecordingHandler handler = RecordingHandler.silent();
    List<Long> queuedWhenWritable = new ArrayList<>();
    handler.whenWritable(connection -> queuedWhenWritable.add(connection.queuedBytes()));
    RawPeer peer = net.accepted(withWatermarks(low, high), handler);

    long written = fillUntilRefused(handler, piece);
    handler.tell(
        connection -> {
          assertThat(connection.isWritable()).isFalse();
          Segment refused = PatternSource.segment(connection, pattern, 0, 1);
          assertThat(connection.tryWrite(refused)).isFalse();
          assertThat(refused.length()).isEqualTo(1);
          refused.release();
        });
    int toldBefore = handler.writableCount();

    Pattern.Check check = pattern.check();
    peer.receive(check, written);

    Wait.until("the writer is told", () -> handler.writableCount() > toldBefore);
    check.requireExactly(written);
    handler.tell(connection -> assertThat(connection.isWritable()).isTrue());
    assertThat(handler.writableCount()).isEqualTo(toldBefore + 1);
    assertThat(queuedWhenWritable).allMatch(queued -> queued <= low);
  }

  private static ListenOptions withWatermarks(int low, int high) {
    return ListenOptions.defaults()
        .withAcceptedSocket(SocketOptions.none().with(SocketOption.SO_SNDBUF, 16 << 10))
        .withConnection(ConnectionOptions.defaults().withWatermarks(low, high));
  }

  /** Writes until the queue is full and stays so: the kernel's buffers grow for a while. */
  private long fillUntilRefused(RecordingHandler handler, int piece) {
    long[] written = new long[1];
    int[] refusedInARow = new int[1];
    Wait.until(
        "writes are refused",
        () -> {
          boolean taken =
              handler.ask(
                  connection -> {
                    Segment segment = PatternSource.segment(connection, pattern, written[0], piece);
                    long queued = connection.queuedBytes();
                    ConnectionOptions limits = connection.options();
                    if (!connection.tryWrite(segment)) {
                      assertThat(queued).isGreaterThan(limits.lowWatermarkBytes());
                      segment.release();
                      return false;
                    }
                    assertThat(queued).isLessThan(limits.highWatermarkBytes());
                    written[0] += piece;
                    return true;
                  });
          refusedInARow[0] = taken ? 0 : refusedInARow[0] + 1;
          return refusedInARow[0] == REFUSED_FOR_GOOD;
        });
    return written[0];
  }

  @EachBackend
  void aWriterOnAnotherThreadIsRefusedWhileTheQueueIsFullAndToldWhenItIsNot(TestNet net)
      throws Exception {
    int low = 64 << 10;
    int high = 256 << 10;
    int piece = 16 << 10;
    RecordingHandler handler = RecordingHandler.silent();
    RawPeer peer = net.accepted(withWatermarks(low, high), handler);
    var ref = handler.connection().ref();
    long[] written = new long[1];

    int[] refusedInARow = new int[1];
    Wait.until(
        "writes are refused",
        () -> {
          Segment segment = net.group().segments().lease(piece, this);
          segment.append(pattern.bytes(written[0], piece), 0, piece);
          if (ref.tryWrite(segment)) {
            written[0] += piece;
            refusedInARow[0] = 0;
          } else {
            segment.release();
            refusedInARow[0]++;
          }
          return refusedInARow[0] == REFUSED_FOR_GOOD;
        });
    long queued = handler.ask(Connection::queuedBytes);
    assertThat(queued).isBetween(low + 1L, 2L * high + piece);
    int toldBefore = handler.writableCount();

    Pattern.Check check = pattern.check();
    peer.receive(check, written[0]);
    check.requireExactly(written[0]);
    Wait.until("the writer is told", () -> handler.writableCount() > toldBefore);
    Segment segment = net.group().segments().lease(1, this);
    segment.append(pattern.bytes(written[0], 1), 0, 1);
    assertThat(ref.tryWrite(segment)).isTrue();
    peer.receive(check, 1);
    check.requireExactly(written[0] + 1);
  }

  @EachBackend
  void aWriterThatWasRefusedForWhatIsOnItsWayIsTold(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.silent();
    RawPeer peer = net.accepted(handler);
    var ref = handler.connection().ref();
    var release = net.holdUp(net.shard());
    int written = 0;
    Segment segment = net.group().segments().lease(1 << 16, this).range(0, 1 << 16);
    while (ref.tryWrite(segment)) {
      written += 1 << 16;
      segment = net.group().segments().lease(1 << 16, this).range(0, 1 << 16);
    }
    assertThat(written).isEqualTo(ConnectionOptions.defaults().highWatermarkBytes());

    release.countDown();
    peer.receive(written);
    Wait.until("the writer is told", () -> handler.writableCount() > 0);
    assertThat(ref.tryWrite(segment)).isTrue();
    peer.receive(1 << 16);
  }

  @EachBackend
  void whatIsWrittenBehindTheEndIsRefusedAndStaysTheWriters(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.reading().whenPeerFinished(connection -> {});
    RawPeer peer = net.accepted(handler);
    handler.tell(Connection::finish);
    handler.tell(connection -> assertRefused(connection));
    assertThat(peer.discardToEnd()).isZero();
    handler.tell(connection -> assertRefused(connection));
    handler.tell(Connection::close);
    handler.tell(connection -> assertRefused(connection));
    peer.close();
    handler.awaitClosed();
    handler.tell(connection -> assertRefused(connection));

    Segment late = net.group().segments().lease(10, this);
    late.append(new byte[10], 0, 10);
    assertThat(handler.connection().ref().tryWrite(late)).as("it is taken and dropped").isTrue();
  }

  private void assertRefused(Connection connection) {
    Segment segment = PatternSource.segment(connection, pattern, 0, 10);
    assertThat(connection.isWritable()).isFalse();
    try {
      connection.write(segment);
      throw new AssertionError("taken");
    } catch (WriteRefusedException e) {
      assertThat(e.segment()).isSameAs(segment);
      assertThat(e).hasMessageContaining(connection.state().toString());
    }
    segment.release();
  }

  // B47
  @EachBackend
  void exactlyTheReadablePartOfASegmentIsSent(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.silent();
    RawPeer peer = net.accepted(handler);
    Pattern.Check check = pattern.check();
    for (int pieces : new int[] {1, 2, 40}) {
      long position = check.count();
      handler.tell(
          connection -> {
            for (int i = 0; i < pieces; i++) {
              Segment segment = connection.lease(200);
              segment.append(new byte[11], 0, 11);
              segment.append(pattern.bytes(position + i * 28L, 28), 0, 28);
              segment.append(new byte[50], 0, 50);
              connection.write(segment.range(11, 39));
            }
          });
      peer.receive(check, pieces * 28L);
    }
    check.requireExactly(43 * 28L);
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void writesOfManyThreadsArriveWholeAndInTheOrderOfEach(TestNet net) throws Exception {
    int threads = 4;
    int writes = 2000;
    RecordingHandler handler = RecordingHandler.silent();
    RawPeer peer = net.accepted(handler);
    var ref = handler.connection().ref();
    List<Thread> writers = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      byte writer = (byte) t;
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < writes; i++) {
                  Segment segment = net.group().segments().lease(3, this);
                  segment.append(new byte[] {writer, (byte) (i >> 8), (byte) i}, 0, 3);
                  while (!ref.tryWrite(segment)) {
                    Thread.onSpinWait();
                  }
                }
              });
      writers.add(thread);
      thread.start();
    }
    byte[] received = peer.receive(threads * writes * 3);
    for (Thread thread : writers) {
      thread.join();
    }
    int[] next = new int[threads];
    for (int at = 0; at < received.length; at += 3) {
      int number = (received[at + 1] & 0xff) << 8 | (received[at + 2] & 0xff);
      assertThat(number).isEqualTo(next[received[at]]++);
    }
    assertThat(next).containsOnly(writes);
  }

  @EachBackend
  void theQueueOfAConnectionThatEndsIsGivenBack(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.silent();
    RawPeer peer = net.accepted(withWatermarks(64 << 10, 1 << 20), handler);
    fillUntilRefused(handler, 16 << 10);
    assertThat(net.segmentsOut()).isGreaterThan(10);

    handler.tell(Connection::abort);

    handler.awaitClosed(Duration.ofSeconds(1));
    net.awaitSegmentsOut(0);
    assertThat(peer.endsByReset()).isTrue();
  }

  @EachBackend
  void aWriteToAPeerThatIsGoneEndsTheConnection(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.silent();
    RawPeer peer = net.accepted(handler);
    peer.reset();
    RecordingAcks acks = new RecordingAcks();
    handler.tell(
        connection -> {
          Segment segment = PatternSource.segment(connection, pattern, 0, 10);
          if (!connection.tryWrite(segment, acks.ack(0))) {
            segment.release(); // The backend has noticed the reset before.
          }
        });
    assertThat(handler.awaitClosed()).isInstanceOf(CloseReason.PeerReset.class);
    assertThat(acks.written()).isEmpty();
  }

  private static List<Integer> range(int from, int to) {
    return IntStream.range(from, to).boxed().toList();
  }
}
