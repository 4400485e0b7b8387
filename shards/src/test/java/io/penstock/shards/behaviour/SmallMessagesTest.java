package io.penstock.shards.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.core.Backend;
import io.penstock.shards.core.SocketOption;
import io.penstock.shards.core.SocketOptions;
import io.penstock.shards.net.CloseReason;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ConnectionOptions;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.testing.CpuUse;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.Pattern;
import io.penstock.shards.testing.PatternSource;
import io.penstock.shards.testing.RawPeer;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.TestNet;
import io.penstock.shards.testing.Wait;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Connections that have exchanged small messages for a while: there a backend may let the kernel
 * receive and send by itself, and all that holds for others has to hold for them, too.
 */
class SmallMessagesTest {
  /** More small messages in a row than any backend needs to go over to another way of receiving. */
  private static final int WARM_UP = 20;

  private final Pattern pattern = new Pattern(71);

  /** Sends small messages, each when the one before has been received; returns how much. */
  private long warmUp(RecordingHandler handler, RawPeer peer, long position) throws IOException {
    for (int i = 0; i < WARM_UP; i++) {
      peer.send(pattern, position + i * 3L, 3);
      handler.awaitReceived(position + (i + 1) * 3L);
    }
    return position + WARM_UP * 3L;
  }

  private static ListenOptions smallBuffers() {
    return ListenOptions.defaults()
        .withAcceptedSocket(SocketOptions.none().with(SocketOption.SO_SNDBUF, 1 << 14))
        .withConnection(ConnectionOptions.defaults().withWatermarks(1 << 14, 1 << 18));
  }

  /** Writes small segments until the peer, who reads nothing, has filled all there is. */
  private void writeUntilFull(RecordingHandler handler) {
    int[] fullInARow = new int[1];
    Wait.until(
        "the output is full",
        () -> {
          boolean written =
              handler.ask(
                  connection -> {
                    boolean writable = connection.isWritable();
                    for (int i = 0; i < 16 && connection.isWritable(); i++) {
                      connection.write(PatternSource.segment(connection, pattern, 0, 251));
                    }
                    return writable;
                  });
          fullInARow[0] = written ? 0 : fullInARow[0] + 1;
          return fullInARow[0] == 10;
        });
  }

  // B10
  @EachBackend
  void demandThatIsWithdrawnLosesNothing(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.reading().expecting(pattern);
    RawPeer peer = net.accepted(handler);
    long sent = warmUp(handler, peer, 0);
    AtomicBoolean over = new AtomicBoolean();
    Thread pausing =
        new Thread(
            () -> {
              Random random = new Random(3);
              var ref = handler.connection().ref();
              while (!over.get()) {
                ref.execute(Connection::pause);
                LockSupport.parkNanos(random.nextInt(200_000));
                ref.execute(Connection::demandUnbounded);
                LockSupport.parkNanos(random.nextInt(2_000_000));
              }
            });
    pausing.start();
    Random random = new Random(4);
    for (int i = 0; i < 1000; i++) {
      int lengthBytes = 1 + random.nextInt(7);
      peer.send(pattern, sent, lengthBytes);
      sent += lengthBytes;
      LockSupport.parkNanos(random.nextInt(50_000));
    }
    over.set(true);
    pausing.join();
    handler.tell(Connection::demandUnbounded);
    handler.awaitReceived(sent);
    handler.requireExactly(sent);
  }

  // B26
  @EachBackend
  void aPausedConnectionDeliversNothingAndKeepsWhatCame(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.reading().expecting(pattern);
    RawPeer peer = net.accepted(handler);
    long sent = warmUp(handler, peer, 0);
    handler.tell(Connection::pause);
    for (int i = 0; i < 200; i++) {
      peer.send(pattern, sent, 100);
      sent += 100;
    }
    long before = handler.receivedBytes();
    Wait.whileTrue(
        Duration.ofMillis(100), "nothing is delivered", () -> handler.receivedBytes() == before);
    peer.finish();
    while (handler.receivedBytes() < sent) {
      assertThat(handler.isPeerFinished()).isFalse();
      int segments = handler.segments() + 1;
      handler.tell(connection -> connection.demand(1));
      Wait.until("one is delivered", () -> handler.segments() == segments);
    }
    handler.tell(Connection::demandUnbounded);
    handler.awaitPeerFinished();
    handler.requireExactly(sent);
  }

  @EachBackend
  void smallAndLargeMessagesMayAlternate(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.echoing().expecting(pattern);
    RawPeer peer = net.accepted(handler);
    Pattern.Check echo = pattern.check();
    long sent = 0;
    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < WARM_UP; i++) {
        sent += exchange(peer, echo, sent, 1 + i);
      }
      for (int lengthBytes : new int[] {2047, 2048, 2049, 4096, 5000, 300_000}) {
        sent += exchange(peer, echo, sent, lengthBytes);
      }
    }
    echo.requireExactly(sent);
    handler.requireExactly(sent);
  }

  private int exchange(RawPeer peer, Pattern.Check echo, long position, int lengthBytes)
      throws IOException {
    peer.send(pattern, position, lengthBytes);
    peer.receive(echo, lengthBytes);
    return lengthBytes;
  }

  // B12
  @EachBackend
  void nothingIsDeliveredAfterACloseInTheReadCallback(TestNet net) throws Exception {
    endInTheCallback(net, Connection::close);
  }

  // B12
  @EachBackend
  void nothingIsDeliveredAfterAnAbortInTheReadCallback(TestNet net) throws Exception {
    endInTheCallback(net, Connection::abort);
  }

  private void endInTheCallback(TestNet net, Consumer<Connection> end) throws Exception {
    AtomicBoolean ending = new AtomicBoolean();
    RecordingHandler handler = RecordingHandler.reading();
    handler.whenReceived(
        (connection, segment) -> {
          segment.release();
          if (ending.get()) {
            end.accept(connection);
          }
        });
    RawPeer peer = net.accepted(handler);
    warmUp(handler, peer, 0);
    int before = handler.segments();
    ending.set(true);
    CountDownLatch release = net.holdUp(net.shard());
    for (int i = 0; i < 50; i++) {
      peer.send(pattern, 0, 100);
    }
    release.countDown();
    handler.tell(connection -> {});
    peer.close();
    handler.awaitClosed();
    assertThat(handler.segments()).isEqualTo(before + 1);
  }

  // B18
  @EachBackend
  void thePeersEndIsToldOnceAndKeepsNobodyBusy(TestNet net) throws Exception {
    RecordingHandler handler =
        RecordingHandler.reading().expecting(pattern).whenPeerFinished(connection -> {});
    RawPeer peer = net.accepted(handler);
    long sent = warmUp(handler, peer, 0);
    peer.finish();
    handler.awaitPeerFinished();
    handler.requireExactly(sent);
    CpuUse.requireIdle(Duration.ofMillis(200));

    PatternSource source = new PatternSource(pattern, 3 << 20, 1000, Connection::finish);
    handler.whenWritable(source::pump);
    handler.tell(source::pump);
    Pattern.Check check = pattern.check();
    peer.receiveToEnd(check);
    check.requireExactly(3 << 20);
    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.Finished());
  }

  // B20
  @EachBackend
  void aSingleWriteToAPeerThatFinishedAndLeftFailsTheConnection(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.reading().whenPeerFinished(connection -> {});
    RawPeer peer = net.accepted(handler);
    warmUp(handler, peer, 0);
    peer.finish();
    handler.awaitPeerFinished();
    peer.close();
    handler.tell(connection -> connection.write(PatternSource.segment(connection, pattern, 0, 1)));
    assertThat(handler.awaitClosed(Duration.ofSeconds(1)))
        .isInstanceOf(CloseReason.PeerReset.class);
  }

  @EachBackend
  void aResetIsNoticed(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.reading();
    RawPeer peer = net.accepted(handler);
    warmUp(handler, peer, 0);
    peer.reset();
    assertThat(handler.awaitClosed(Duration.ofSeconds(1)))
        .isInstanceOf(CloseReason.PeerReset.class);
  }

  @EachBackend({Backend.IO_URING, Backend.EPOLL})
  void aResetIsNoticedByAPausedConnection(TestNet net) throws Exception {
    for (int round = 0; round < 20; round++) {
      RecordingHandler handler = RecordingHandler.reading();
      RawPeer peer = net.accepted(handler);
      warmUp(handler, peer, 0);
      if (round % 2 == 0) {
        handler.tell(Connection::pause);
        peer.reset();
      } else {
        // The reset and the withdrawal cross.
        CountDownLatch release = net.holdUp(net.shard());
        handler.connection().ref().execute(Connection::pause);
        peer.reset();
        release.countDown();
      }
      assertThat(handler.awaitClosed(Duration.ofSeconds(1)))
          .isInstanceOf(CloseReason.PeerReset.class);
    }
  }

  // B22
  @EachBackend
  void inputThatNobodyReadDoesNotSpoilAnOrderlyClose(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.reading();
    RawPeer peer = net.accepted(handler);
    warmUp(handler, peer, 0);
    CountDownLatch release = net.holdUp(net.shard());
    handler
        .connection()
        .ref()
        .execute(
            connection -> {
              connection.write(PatternSource.segment(connection, pattern, 0, 1000));
              connection.close();
            });
    peer.send(pattern, 0, 100);
    release.countDown();
    peer.send(pattern, 0, 100);
    Pattern.Check check = pattern.check();
    peer.receiveToEnd(check);
    check.requireExactly(1000);
    peer.close();
    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.Closed());
  }

  // B23
  @EachBackend
  void thePeerSeesTheCloseWithinAFewMilliseconds(TestNet net) throws Exception {
    long bestNanos = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      RecordingHandler handler = RecordingHandler.reading();
      RawPeer peer = net.accepted(handler);
      warmUp(handler, peer, 0);
      long received = handler.receivedBytes();
      long before = System.nanoTime();
      handler.tell(Connection::close);
      assertThat(peer.discardToEnd()).isZero();
      bestNanos = Math.min(bestNanos, System.nanoTime() - before);
      peer.send(pattern, 0, 100);
      peer.close();
      handler.awaitClosed();
      assertThat(handler.receivedBytes()).isEqualTo(received);
    }
    assertThat(bestNanos).isLessThan(TimeUnit.MILLISECONDS.toNanos(100));
  }

  // B25
  @EachBackend
  void anAbortWithOutputUnderWayIsOverAtOnceAndGivesAllBack(TestNet net) throws Exception {
    for (int round = 0; round < 2; round++) {
      RecordingHandler handler = RecordingHandler.reading();
      RawPeer peer = net.accepted(smallBuffers(), handler);
      warmUp(handler, peer, 0);
      writeUntilFull(handler);
      if (round % 2 == 0) {
        handler.tell(Connection::finish);
      }
      handler.tell(Connection::abort);
      assertThat(handler.awaitClosed(Duration.ofSeconds(1))).isEqualTo(new CloseReason.Aborted());
      net.awaitSegmentsOut(0);
      peer.close();
    }
  }

  @EachBackend
  void whatIsQueuedForASlowPeerArrivesWhole(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.reading();
    RawPeer peer = net.accepted(smallBuffers(), handler);
    warmUp(handler, peer, 0);
    PatternSource source = new PatternSource(pattern, 1 << 20, 700, Connection::close);
    handler.whenWritable(source::pump);
    handler.tell(source::pump);
    Pattern.Check check = pattern.check();
    while (check.count() < 1 << 20) {
      peer.receive(check, Math.min(1000, (1 << 20) - check.count()));
    }
    peer.receiveToEnd(check);
    check.requireExactly(1 << 20);
    peer.close();
    handler.awaitClosed();
  }

  @EachBackend
  void manyConnectionsAreServedTogether(TestNet net) throws Exception {
    int connections = 64;
    var listener = net.listenEach(ListenOptions.defaults(), RecordingHandler::echoing);
    List<RawPeer> peers = new ArrayList<>();
    List<Pattern> patterns = new ArrayList<>();
    List<Pattern.Check> checks = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      peers.add(net.peerOf(listener));
      patterns.add(new Pattern(i));
      checks.add(patterns.get(i).check());
    }
    for (int round = 0; round < 100; round++) {
      int lengthBytes = 1 + round * 7 % 500;
      for (int i = 0; i < connections; i++) {
        peers.get(i).send(patterns.get(i), checks.get(i).count(), lengthBytes);
      }
      for (int i = 0; i < connections; i++) {
        peers.get(i).receive(checks.get(i), lengthBytes);
      }
    }
    checks.forEach(check -> check.requireExactly(check.count()));
  }
}
