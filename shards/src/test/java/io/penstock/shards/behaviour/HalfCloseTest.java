package io.penstock.shards.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.memory.Segment;
import io.penstock.shards.net.CloseReason;
import io.penstock.shards.net.ConnectOptions;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ConnectionState;
import io.penstock.shards.testing.CpuUse;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.Pattern;
import io.penstock.shards.testing.PatternSource;
import io.penstock.shards.testing.RawPeer;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.TestNet;
import io.penstock.shards.testing.Transport;
import io.penstock.shards.testing.Wait;
import java.time.Duration;
import org.junit.jupiter.api.Tag;

class HalfCloseTest {
  private static final Duration A_WHILE = Duration.ofMillis(200);

  private final Pattern pattern = new Pattern(3);

  // B18
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void aPeerThatFinishedKeepsNobodyBusyWhileThereIsDemand(TestNet net) throws Exception {
    stayHalfClosed(net, true, A_WHILE);
  }

  // B18
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void aPeerThatFinishedKeepsNobodyBusyWithoutDemand(TestNet net) throws Exception {
    stayHalfClosed(net, false, A_WHILE);
  }

  // B18
  @Tag("slow")
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void aPeerThatFinishedKeepsNobodyBusyForLong(TestNet net) throws Exception {
    stayHalfClosed(net, true, Duration.ofSeconds(3));
  }

  private void stayHalfClosed(TestNet net, boolean demanding, Duration time) throws Exception {
    RecordingHandler handler =
        (demanding ? RecordingHandler.reading() : RecordingHandler.silent())
            .whenPeerFinished(connection -> {});
    RawPeer peer = net.accepted(handler);
    peer.send(pattern, 0, 10);
    peer.finish();
    if (demanding) {
      handler.awaitPeerFinished();
    }

    CpuUse.requireIdle(time);
    assertThat(handler.segments()).isEqualTo(demanding ? 1 : 0);
    assertThat(handler.isPeerFinished()).isEqualTo(demanding);

    handler.tell(connection -> connection.write(segment(connection, 10)));
    assertThat(peer.receive(10)).isEqualTo(pattern.bytes(0, 10));
    if (!demanding) {
      handler.tell(Connection::demandUnbounded);
      handler.awaitPeerFinished();
    }
    assertThat(handler.bytes()).isEqualTo(pattern.bytes(0, 10));
    handler.tell(Connection::finish);
    assertThat(peer.discardToEnd()).isZero();
    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.Finished());
  }

  private Segment segment(Connection connection, int lengthBytes) {
    return PatternSource.segment(connection, pattern, 0, lengthBytes);
  }

  // B20
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void aSingleWriteToAPeerThatFinishedAndLeftFailsTheConnection(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.reading().whenPeerFinished(connection -> {});
    RawPeer peer = net.accepted(handler);
    peer.finish();
    handler.awaitPeerFinished();
    peer.close();
    Wait.whileTrue(Duration.ofMillis(100), "it stays open", () -> !handler.isClosed());

    handler.tell(connection -> connection.write(segment(connection, 1)));

    CloseReason reason = handler.awaitClosed(Duration.ofSeconds(1));
    assertThat(reason).isInstanceOf(CloseReason.PeerReset.class);
    assertThat(reason.isOrderly()).isFalse();
  }

  // B20, without demand when the write is made
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void aPausedConnectionNoticesThatItsWriteReachedNobody(TestNet net) throws Exception {
    RecordingHandler handler =
        RecordingHandler.silent()
            .whenOpened(connection -> connection.demand(1))
            .whenPeerFinished(connection -> {});
    RawPeer peer = net.accepted(handler);
    peer.finish();
    handler.awaitPeerFinished();
    handler.tell(Connection::pause);
    peer.close();

    handler.tell(connection -> connection.write(segment(connection, 1)));

    assertThat(handler.awaitClosed(Duration.ofSeconds(1)))
        .isInstanceOf(CloseReason.PeerReset.class);
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void whoFinishesStillReceives(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.reading().expecting(pattern);
    RawPeer peer = net.accepted(handler);
    handler.tell(
        connection -> {
          connection.write(segment(connection, 100));
          connection.finish();
        });
    assertThat(peer.discardToEnd()).isEqualTo(100);
    assertThat(handler.ask(Connection::state)).isEqualTo(ConnectionState.OPEN);

    peer.send(pattern, 0, 1 << 20);
    peer.close();

    // The handler closes at the peer's end, when both have finished.
    handler.awaitClosed();
    handler.requireExactly(1 << 20);
    assertThat(handler.reason().isOrderly()).isTrue();
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void whosePeerFinishedStillSends(TestNet net) throws Exception {
    PatternSource source = new PatternSource(pattern, 4 << 20, 1 << 14, Connection::finish);
    RecordingHandler handler =
        RecordingHandler.reading().whenPeerFinished(source::pump).whenWritable(source::pump);
    RawPeer peer = net.accepted(handler);
    peer.finish();
    Pattern.Check check = pattern.check();
    peer.receiveToEnd(check);
    check.requireExactly(4 << 20);
    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.Finished());
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void aConnectionThatBothSidesFinishedIsOver(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.reading().whenPeerFinished(Connection::finish);
    RawPeer peer = net.connected(ConnectOptions.defaults(), handler);
    peer.send(pattern, 0, 10);
    peer.finish();
    assertThat(peer.discardToEnd()).isZero();
    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.Finished());
    assertThat(handler.bytes()).isEqualTo(pattern.bytes(0, 10));
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void finishingBeforeAnythingIsReadLosesNothing(TestNet net) throws Exception {
    RecordingHandler handler =
        RecordingHandler.silent().expecting(pattern).whenOpened(Connection::finish);
    RawPeer peer = net.accepted(handler);
    assertThat(peer.discardToEnd()).isZero();
    peer.send(pattern, 0, 100_000);
    peer.close();
    handler.tell(Connection::demandUnbounded);
    handler.awaitClosed();
    handler.requireExactly(100_000);
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void theEndIsToldOnceHoweverOftenOneFinishes(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.reading().whenPeerFinished(connection -> {});
    RawPeer peer = net.accepted(handler);
    handler.tell(
        connection -> {
          connection.finish();
          connection.finish();
        });
    assertThat(peer.discardToEnd()).isZero();
    handler.tell(Connection::finish);
    peer.finish();
    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.Finished());
  }
}
