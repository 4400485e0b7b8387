package io.penstock.shards.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.penstock.shards.Listener;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.net.CloseReason;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.testing.CpuUse;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.Pattern;
import io.penstock.shards.testing.RawPeer;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.TestNet;
import io.penstock.shards.testing.Transport;
import io.penstock.shards.testing.Wait;
import java.io.IOException;
import java.time.Duration;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;

class ReadTest {
  private static final Duration A_WHILE = Duration.ofMillis(200);

  private final Pattern pattern = new Pattern(11);

  // B09
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void whatThePeerSentBeforeItClosedIsDeliveredToWhoAsksLater(TestNet net) throws Exception {
    int totalBytes = 1 << 20;
    RecordingHandler handler = RecordingHandler.silent().expecting(pattern);
    RawPeer peer = net.accepted(handler);
    Thread sender = sending(() -> sendAndClose(peer, totalBytes));

    Wait.whileTrue(A_WHILE, "nothing is delivered", () -> handler.segments() == 0);
    assertThat(handler.isPeerFinished()).isFalse();
    // One at a time, so that the end has every chance to overtake.
    Wait.until(
        "the peer's end",
        () -> {
          int before = handler.segments();
          handler.tell(connection -> demandOneIfLive(connection));
          Wait.until("one more", () -> handler.segments() > before || handler.isPeerFinished());
          return handler.isPeerFinished();
        });
    handler.requireExactly(totalBytes);
    handler.awaitClosed();
    sender.join();
  }

  private static void demandOneIfLive(Connection connection) {
    if (!connection.isPeerFinished()) {
      connection.demand(1);
    }
  }

  private void sendAndClose(RawPeer peer, long totalBytes) throws IOException {
    peer.send(pattern, 0, totalBytes);
    peer.close();
  }

  private interface Sending {
    void run() throws IOException;
  }

  private static Thread sending(Sending action) {
    Thread thread =
        new Thread(
            () -> {
              try {
                action.run();
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    thread.start();
    return thread;
  }

  // B10
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void demandThatIsWithdrawnSwallowsNothing(TestNet net) throws Exception {
    withdrawWhileSending(net, 1_000);
  }

  // B10
  @Tag("slow")
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void demandThatIsWithdrawnSwallowsNothingForLong(TestNet net) throws Exception {
    withdrawWhileSending(net, 20_000);
  }

  private void withdrawWhileSending(TestNet net, int sends) throws Exception {
    RecordingHandler handler = RecordingHandler.silent().expecting(pattern);
    RawPeer peer = net.accepted(handler);
    AtomicBoolean over = new AtomicBoolean();
    Thread pausing =
        new Thread(
            () -> {
              Random random = new Random(1);
              while (!over.get()) {
                var ref = handler.connection().ref();
                if (random.nextInt(10) == 0) {
                  ref.execute(Connection::demandUnbounded);
                } else {
                  ref.execute(connection -> connection.demand(1 + random.nextInt(3)));
                }
                LockSupport.parkNanos(random.nextInt(50_000));
                ref.execute(Connection::pause);
              }
            });
    pausing.start();
    Random random = new Random(2);
    long sent = 0;
    for (int i = 0; i < sends; i++) {
      int lengthBytes = 1 + random.nextInt(7);
      peer.send(pattern.bytes(sent, lengthBytes));
      sent += lengthBytes;
      LockSupport.parkNanos(random.nextInt(100_000));
    }
    over.set(true);
    pausing.join();
    handler.tell(Connection::demandUnbounded);
    handler.awaitReceived(sent);
    handler.requireExactly(sent);
  }

  // B12
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void nothingIsDeliveredAfterACloseInTheReadCallback(TestNet net) throws Exception {
    endAtTheFirstSegment(net, Connection::close);
  }

  // B12
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void nothingIsDeliveredAfterAnAbortInTheReadCallback(TestNet net) throws Exception {
    endAtTheFirstSegment(net, Connection::abort);
  }

  private void endAtTheFirstSegment(TestNet net, Consumer<Connection> end) throws Exception {
    Listener echo = net.listenEach(ListenOptions.defaults(), RecordingHandler::echoing);
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger echoed = new AtomicInteger();
    Thread churn = sending(() -> echoOnNewConnections(echo, over, echoed));
    for (int round = 0; round < 8; round++) {
      RecordingHandler handler = RecordingHandler.reading();
      handler.whenReceived(
          (connection, segment) -> {
            segment.release();
            end.accept(connection);
          });
      RawPeer peer = net.accepted(handler);
      var release = net.holdUp(net.shard());
      peer.sendUntilFull(pattern, 1 << 20);
      release.countDown();
      handler.tell(connection -> {});
      peer.close();
      handler.awaitClosed();
      assertThat(handler.segments()).isEqualTo(1);
    }
    Wait.until("others were served meanwhile", () -> echoed.get() > 3);
    over.set(true);
    churn.join();
    CpuUse.requireIdle(A_WHILE);
  }

  private static void echoOnNewConnections(Listener echo, AtomicBoolean over, AtomicInteger echoed)
      throws IOException {
    for (int i = 0; !over.get(); i++) {
      Pattern own = new Pattern(i);
      try (RawPeer peer = RawPeer.connect(TestNet.jdkAddress(echo.local()))) {
        peer.send(own, 0, 2000);
        Pattern.Check check = own.check();
        peer.receive(check, 2000);
        check.requireExactly(2000);
        echoed.incrementAndGet();
      }
    }
  }

  // B26
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void nothingIsDeliveredThatNobodyAskedFor(TestNet net) throws Exception {
    askForThreeThenAll(net, A_WHILE, 16 << 20);
  }

  // B26
  @Tag("slow")
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void nothingIsDeliveredThatNobodyAskedForForLong(TestNet net) throws Exception {
    askForThreeThenAll(net, Duration.ofSeconds(5), 64 << 20);
  }

  private void askForThreeThenAll(TestNet net, Duration time, int totalBytes) throws Exception {
    RecordingHandler handler = RecordingHandler.silent().expecting(pattern);
    RawPeer peer = net.accepted(handler);
    handler.tell(connection -> connection.demand(3));
    AtomicBoolean sentAll = new AtomicBoolean();
    Thread sender =
        sending(
            () -> {
              peer.send(pattern, 0, totalBytes);
              sentAll.set(true);
              peer.finish();
            });

    Wait.until("three are delivered", () -> handler.segments() == 3);
    Wait.whileTrue(time, "three are all", () -> handler.segments() == 3);
    assertThat(sentAll).as("the peer has sent all").isFalse();
    assertThat(net.shard().counters().get(Counter.RECEIVED_BYTES))
        .as("bytes taken from the kernel")
        .isEqualTo(handler.receivedBytes());

    handler.tell(Connection::demandUnbounded);
    sender.join();
    handler.awaitPeerFinished();
    handler.requireExactly(totalBytes);
  }

  // B28
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void notAByteIsReadBeforeThereIsDemand(TestNet net) throws Exception {
    RecordingHandler handler =
        RecordingHandler.silent()
            .expecting(pattern)
            .whenOpened(
                connection -> {
                  connection.demand(5);
                  connection.pause();
                });
    RawPeer peer = net.accepted(handler);
    Thread sender = sending(() -> sendAndClose(peer, 10 << 20));

    Wait.whileTrue(
        A_WHILE, "nothing is read", () -> net.shard().counters().get(Counter.RECEIVED_BYTES) == 0);
    assertThat(handler.segments()).isZero();
    handler.tell(Connection::demandUnbounded);
    sender.join();
    handler.awaitClosed();
    handler.requireExactly(10 << 20);
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void asManySegmentsAreDeliveredAsWereAskedFor(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.silent().expecting(pattern);
    RawPeer peer = net.accepted(handler);
    Thread sender = sending(() -> sendAndClose(peer, 8 << 20));
    int asked = 0;
    for (int n : new int[] {1, 2, 1, 4}) {
      asked += n;
      int expected = asked;
      handler.tell(connection -> connection.demand(n));
      Wait.until("asked for are delivered", () -> handler.segments() == expected);
      Wait.whileTrue(Duration.ofMillis(30), "no more", () -> handler.segments() == expected);
      long open = handler.ask(Connection::openDemand);
      assertThat(open).isZero();
    }
    handler.tell(connection -> connection.demand(Long.MAX_VALUE - 1));
    handler.tell(connection -> connection.demand(5));
    sender.join();
    handler.awaitClosed();
    handler.requireExactly(8 << 20);
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void demandStatedInTheCallbackKeepsReadingOneByOne(TestNet net) throws Exception {
    RecordingHandler handler =
        RecordingHandler.silent().expecting(pattern).whenOpened(connection -> connection.demand(1));
    handler.whenReceived(
        (connection, segment) -> {
          assertThat(connection.openDemand()).isZero();
          segment.release();
          connection.demand(1);
        });
    RawPeer peer = net.accepted(handler);
    sendAndClose(peer, 4 << 20);
    handler.awaitClosed();
    handler.requireExactly(4 << 20);
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void aPauseInTheCallbackStopsAtOnce(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.reading().expecting(pattern);
    AtomicBoolean pausing = new AtomicBoolean(true);
    handler.whenReceived(
        (connection, segment) -> {
          segment.release();
          if (pausing.get() && handler.segments() % 3 == 0) {
            connection.pause();
          }
        });
    RawPeer peer = net.accepted(handler);
    Thread sender = sending(() -> sendAndClose(peer, 8 << 20));
    for (int pauses = 1; pauses <= 3; pauses++) {
      int expected = pauses * 3;
      Wait.until("paused", () -> handler.segments() == expected);
      Wait.whileTrue(Duration.ofMillis(50), "paused", () -> handler.segments() == expected);
      pausing.set(pauses < 3);
      handler.tell(Connection::demandUnbounded);
    }
    sender.join();
    handler.awaitClosed();
    handler.requireExactly(8 << 20);
  }

  @EachBackend
  void demandMustBePositive(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.silent();
    net.accepted(handler);
    handler.tell(
        connection -> {
          assertThatIllegalArgumentException()
              .isThrownBy(() -> connection.demand(0))
              .withMessageContaining("0 for connection");
          assertThatIllegalArgumentException().isThrownBy(() -> connection.demand(-1));
        });
    assertThat(handler.isClosed()).isFalse();
  }

  @EachBackend
  void aPausedConnectionNoticesThatItsPeerIsGone(TestNet net) throws Exception {
    resetWhilePaused(net, 0);
  }

  @EachBackend
  void aPausedConnectionWithUnreadInputNoticesThatItsPeerIsGone(TestNet net) throws Exception {
    resetWhilePaused(net, 1000);
  }

  private void resetWhilePaused(TestNet net, int unreadBytes) throws Exception {
    RecordingHandler handler = RecordingHandler.silent();
    RawPeer peer = net.accepted(handler);
    peer.send(pattern, 0, unreadBytes);
    peer.reset();
    assertThat(handler.awaitClosed(Duration.ofSeconds(2)))
        .isInstanceOf(CloseReason.PeerReset.class);
    assertThat(handler.receivedBytes()).isZero();
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void aPausedConnectionKeepsWhatCameBeforeItsPeerClosed(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.silent().expecting(pattern);
    RawPeer peer = net.accepted(handler);
    peer.send(pattern, 0, 1000);
    peer.close();
    // Longer than it takes where a reset is looked for.
    Wait.whileTrue(Duration.ofMillis(700), "it waits", () -> !handler.isClosed());
    handler.tell(Connection::demandUnbounded);
    handler.awaitPeerFinished();
    handler.requireExactly(1000);
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void aHandlerMayKeepSegmentsAndReleaseThemOnAnyThread(TestNet net) throws Exception {
    Queue<Segment> kept = new ConcurrentLinkedQueue<>();
    RecordingHandler handler =
        RecordingHandler.reading()
            .expecting(pattern)
            .whenReceived((connection, segment) -> kept.add(segment));
    RawPeer peer = net.accepted(handler);
    for (int i = 0; i < 50; i++) {
      peer.send(pattern, i * 100L, 100);
      handler.awaitReceived((i + 1) * 100L);
    }
    assertThat(kept).hasSize(handler.segments());
    assertThat(net.segmentsOut()).isEqualTo(kept.size());
    kept.forEach(Segment::release);
    net.awaitSegmentsOut(0);
    handler.requireExactly(5000);
  }
}
