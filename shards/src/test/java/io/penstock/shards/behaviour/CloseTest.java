package io.penstock.shards.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.Listener;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.SocketOption;
import io.penstock.shards.core.SocketOptions;
import io.penstock.shards.core.UnsupportedSocketOptionException;
import io.penstock.shards.net.CloseReason;
import io.penstock.shards.net.ConnectOptions;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ConnectionOptions;
import io.penstock.shards.net.ConnectionState;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.Pattern;
import io.penstock.shards.testing.PatternSource;
import io.penstock.shards.testing.RawListener;
import io.penstock.shards.testing.RawPeer;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.TestNet;
import io.penstock.shards.testing.Transport;
import io.penstock.shards.testing.Wait;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;

class CloseTest {
  private static final int MEBIBYTE = 1 << 20;

  private final Pattern pattern = new Pattern(17);

  private static ListenOptions lingering(Duration timeout, int bytes) {
    return ListenOptions.defaults()
        .withConnection(ConnectionOptions.defaults().withLinger(timeout, bytes));
  }

  // B22
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void inputThatNobodyReadDoesNotSpoilAnOrderlyClose(TestNet net) throws Exception {
    PatternSource reply = new PatternSource(pattern, MEBIBYTE, 1 << 14, Connection::close);
    RecordingHandler handler =
        RecordingHandler.silent()
            .whenOpened(connection -> connection.demand(1))
            .whenWritable(reply::pump);
    RawPeer peer = net.accepted(handler);
    peer.send((byte) 1);
    handler.awaitReceived(1);
    peer.send((byte) 2);
    handler.tell(reply::pump);

    Wait.whileTrue(Duration.ofMillis(300), "it waits for the peer", () -> !handler.isClosed());
    Pattern.Check check = pattern.check();
    peer.receiveToEnd(check);
    check.requireExactly(MEBIBYTE);
    peer.close();
    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.Closed());
    assertThat(handler.receivedBytes()).isEqualTo(1);
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void whatThePeerStillSendsAfterACloseIsDiscarded(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.reading().whenOpened(Connection::close);
    RawPeer peer = net.accepted(handler);
    assertThat(peer.discardToEnd()).isZero();
    peer.send(pattern, 0, MEBIBYTE);
    assertThat(handler.isClosed()).isFalse();
    peer.close();
    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.Closed());
    assertThat(handler.segments()).isZero();
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void aClosedConnectionWaitsForItsPeerNoLongerThanItMay(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.reading();
    RawPeer peer = net.accepted(lingering(Duration.ofMillis(200), MEBIBYTE), handler);
    long before = System.nanoTime();
    handler.tell(Connection::close);
    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.Closed());
    assertThat(System.nanoTime() - before).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(199));
    assertThat(peer.discardToEnd()).isZero();
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void aClosedConnectionDiscardsNoMoreThanItMay(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.reading();
    RawPeer peer = net.accepted(lingering(Duration.ofMinutes(1), 100_000), handler);
    handler.tell(Connection::close);
    Thread sender =
        new Thread(
            () -> {
              try {
                peer.send(pattern, 0, 64 * MEBIBYTE);
              } catch (IOException e) {
                // Reset: more came than is discarded.
              }
            });
    sender.start();
    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.Closed());
    sender.join();
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void aClosedConnectionWhosePeerTakesNothingIsReset(TestNet net) throws Exception {
    Duration timeout = Duration.ofMillis(200);
    ListenOptions options =
        ListenOptions.defaults()
            .withConnection(ConnectionOptions.defaults().withCloseTimeout(timeout))
            .withAcceptedSocket(SocketOptions.none().with(SocketOption.SO_SNDBUF, 16 << 10));
    RecordingHandler handler = RecordingHandler.silent();
    RawPeer deaf = net.accepted(options, handler);
    handler.tell(
        connection -> {
          for (int i = 0; connection.isWritable(); i++) {
            connection.write(PatternSource.segment(connection, pattern, i * 10_000L, 10_000));
          }
        });
    long before = System.nanoTime();
    handler.tell(Connection::close);

    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.CloseTimeout(timeout));
    assertThat(System.nanoTime() - before).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(199));
    Pattern.Check check = pattern.check();
    readPrefix(deaf, check);
    assertThat(check.mismatch()).isNull();
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void withoutLingeringACloseIsOverAtOnce(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.reading();
    RawPeer peer = net.accepted(lingering(Duration.ZERO, 0), handler);
    handler.tell(
        connection -> {
          connection.write(PatternSource.segment(connection, pattern, 0, 1000));
          connection.close();
        });
    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.Closed());
    assertThat(peer.discardToEnd()).isEqualTo(1000);
  }

  // B22, the other half
  @EachBackend
  void anAbortResetsThePeerAtOnce(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.silent();
    RawPeer peer = net.accepted(handler);
    handler.tell(Connection::abort);
    assertThat(peer.endsByReset()).isTrue();
    assertThat(handler.awaitClosed(Duration.ofSeconds(1))).isEqualTo(new CloseReason.Aborted());
  }

  // B23
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void thePeerOfAnIdleConnectionSeesTheCloseWithinAFewMilliseconds(TestNet net) throws Exception {
    long bestNanos = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      RecordingHandler handler = RecordingHandler.reading();
      RawPeer peer = net.accepted(handler);
      long before = System.nanoTime();
      handler.tell(Connection::close);
      assertThat(peer.discardToEnd()).isZero();
      bestNanos = Math.min(bestNanos, System.nanoTime() - before);
      peer.send(pattern, 0, 100);
      peer.close();
      handler.awaitClosed();
      assertThat(handler.receivedBytes()).isZero();
    }
    assertThat(bestNanos).isLessThan(TimeUnit.MILLISECONDS.toNanos(100));
  }

  // B25
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void anAbortBehindAnEndWithOutputUnderWayMixesUpNothing(TestNet net) throws Exception {
    abortWithOutputUnderWay(net, 20);
  }

  // B25
  @Tag("slow")
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void anAbortBehindAnEndWithOutputUnderWayMixesUpNothingForLong(TestNet net) throws Exception {
    abortWithOutputUnderWay(net, 500);
  }

  private void abortWithOutputUnderWay(TestNet net, int rounds) throws Exception {
    Pattern other = new Pattern(101);
    PatternSource endless = new PatternSource(other, Long.MAX_VALUE, 5000, connection -> {});
    RecordingHandler streaming =
        RecordingHandler.silent().whenOpened(endless::pump).whenWritable(endless::pump);
    RawPeer streamed =
        net.accepted(
            ListenOptions.defaults()
                .withConnection(ConnectionOptions.defaults().withWatermarks(1 << 16, 1 << 18)),
            streaming);
    Pattern.Check otherCheck = other.check();
    AtomicReference<IOException> ended = new AtomicReference<>();
    Thread reader =
        new Thread(
            () -> {
              try {
                streamed.receiveToEnd(otherCheck);
              } catch (IOException e) {
                ended.set(e);
              }
            });
    reader.start();
    for (int round = 0; round < rounds; round++) {
      PatternSource source = new PatternSource(pattern, 16 * MEBIBYTE, 5000, connection -> {});
      RecordingHandler handler =
          RecordingHandler.reading().whenOpened(source::pump).whenWritable(source::pump);
      RawPeer peer = net.accepted(handler);
      Wait.until("the queue is full", () -> !handler.ask(Connection::isWritable));
      handler.tell(Connection::finish);
      handler.tell(connection -> {});
      handler.tell(Connection::abort);
      assertThat(handler.awaitClosed(Duration.ofSeconds(1))).isEqualTo(new CloseReason.Aborted());
      Pattern.Check check = pattern.check();
      readPrefix(peer, check);
      peer.close();
      assertThat(check.mismatch()).isNull();
    }
    streaming.tell(Connection::abort);
    streaming.awaitClosed(Duration.ofSeconds(1));
    reader.join();
    assertThat(otherCheck.mismatch()).isNull();
    assertThat(otherCheck.count()).isPositive();
    net.awaitSegmentsOut(0);
  }

  private static void readPrefix(RawPeer peer, Pattern.Check check) {
    try {
      peer.receiveToEnd(check);
    } catch (IOException e) {
      // The reset; what came before is in the check.
    }
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void aCloseSendsWhatIsQueuedFirst(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.silent();
    RawPeer peer = net.accepted(handler);
    handler.tell(
        connection -> {
          for (int i = 0; i < 64; i++) {
            connection.write(PatternSource.segment(connection, pattern, i * 10_000L, 10_000));
          }
          connection.close();
          assertThat(connection.state()).isEqualTo(ConnectionState.CLOSING);
        });
    Pattern.Check check = pattern.check();
    peer.receiveToEnd(check);
    check.requireExactly(640_000);
    peer.close();
    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.Closed());
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void theFirstCauseCounts(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.silent();
    net.accepted(handler);
    handler.tell(
        connection -> {
          connection.abort();
          connection.close();
          connection.abort();
          connection.finish();
          assertThat(connection.state()).isEqualTo(ConnectionState.CLOSED);
        });
    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.Aborted());
    handler.tell(
        connection -> {
          connection.abort();
          connection.close();
          connection.demandUnbounded();
          connection.pause();
        });
    assertThat(handler.reason()).isEqualTo(new CloseReason.Aborted());
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void anAbortEndsACloseThatWaits(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.silent();
    RawPeer peer = net.accepted(handler);
    handler.tell(Connection::close);
    assertThat(peer.discardToEnd()).isZero();
    handler.tell(Connection::abort);
    assertThat(handler.awaitClosed(Duration.ofSeconds(1))).isEqualTo(new CloseReason.Aborted());
  }

  @EachBackend
  void aLingerOptionHoldsUpNoShard(TestNet net) throws Exception {
    SocketOptions lingers = SocketOptions.none().with(SocketOption.SO_LINGER, 5);
    ListenOptions impatient = lingering(Duration.ofMillis(1), MEBIBYTE);
    RawPeer bystander = net.accepted(RecordingHandler.echoing());
    for (ListenOptions options :
        List.of(impatient.withAcceptedSocket(lingers), impatient.withListenerSocket(lingers))) {
      RecordingHandler handler = RecordingHandler.silent();
      Listener listener;
      try {
        listener = net.listen(options, handler);
      } catch (UnsupportedSocketOptionException e) {
        assertThat(net.isNio()).isTrue();
        continue;
      }
      RawPeer peer = net.peerOf(listener);
      handler.awaitOpened();
      // The kernel takes it all, but the peer does not: there is something to wait for.
      handler.tell(
          connection -> {
            for (int i = 0; i < 40; i++) {
              connection.write(PatternSource.segment(connection, pattern, 0, 1 << 14));
            }
            connection.close();
          });
      long before = System.nanoTime();
      assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.Closed());
      bystander.send((byte) 1);
      bystander.receive(1);
      assertThat(System.nanoTime() - before).isLessThan(TimeUnit.SECONDS.toNanos(2));
      assertThat(peer.discardToEnd()).isEqualTo(40 << 14);
    }
  }

  @EachBackend
  void whatIsPastAnEndMayStillBeAsked(TestNet net) throws Exception {
    List<Endpoint> asked = new ArrayList<>();
    RecordingHandler handler =
        RecordingHandler.silent()
            .whenClosed(
                (connection, reason) -> {
                  asked.add(connection.remote());
                  asked.add(connection.local());
                });
    Listener listener = net.listen(handler);
    RawPeer peer = net.peerOf(listener);
    handler.awaitOpened();
    Endpoint remote = handler.ask(Connection::remote);
    Endpoint local = handler.ask(Connection::local);
    handler.tell(Connection::abort);
    handler.awaitClosed();
    assertThat(peer.endsByReset()).isTrue();
    assertThat(local).isEqualTo(listener.local());
    assertThat(asked).containsExactly(remote, local);
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void aGroupThatStopsSendsWhatIsQueuedAndClosesInOrder(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.reading();
    RawPeer peer = net.accepted(handler);
    handler.tell(
        connection -> {
          for (int i = 0; i < 50; i++) {
            connection.write(PatternSource.segment(connection, pattern, i * 10_000L, 10_000));
          }
        });
    CompletionStage<Void> stopped = net.group().stop(Duration.ofSeconds(30));
    Pattern.Check check = pattern.check();
    peer.receiveToEnd(check);
    check.requireExactly(500_000);
    peer.close();
    stopped.toCompletableFuture().get(10, TimeUnit.SECONDS);
    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.Closed());
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void aGroupThatStopsEndsAfterAWhileWhatDoesNotDrain(TestNet net) throws Exception {
    PatternSource source = new PatternSource(pattern, 64 * MEBIBYTE, 1 << 14, connection -> {});
    RecordingHandler handler =
        RecordingHandler.reading().whenOpened(source::pump).whenWritable(source::pump);
    RawPeer peer = net.accepted(handler);
    Wait.until("the queue is full", () -> !handler.ask(Connection::isWritable));

    CompletionStage<Void> stopped = net.group().stop(Duration.ofMillis(100));

    stopped.toCompletableFuture().get(3, TimeUnit.SECONDS);
    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.ShardStopped());
    Pattern.Check check = pattern.check();
    readPrefix(peer, check);
    assertThat(check.mismatch()).isNull();
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void aConnectionMayBeClosedWhileItConnects(TestNet net) throws Exception {
    RawListener stalled = net.rawListener(2);
    stalled.fillQueue(2);
    RecordingHandler handler = RecordingHandler.silent();
    var connecting = net.connect(stalled.endpoint(), ConnectOptions.defaults(), handler);
    CompletionStage<Void> stopped = net.group().stop(Duration.ofSeconds(5));
    stopped.toCompletableFuture().get(3, TimeUnit.SECONDS);
    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.Closed());
    assertThat(connecting.toCompletableFuture()).isCompletedExceptionally();
  }
}
