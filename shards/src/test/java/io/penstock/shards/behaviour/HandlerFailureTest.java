package io.penstock.shards.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.Listener;
import io.penstock.shards.core.SocketOption;
import io.penstock.shards.core.SocketOptions;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.net.CloseReason;
import io.penstock.shards.net.ConnectionOptions;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.net.WriteAck;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.Pattern;
import io.penstock.shards.testing.PatternSource;
import io.penstock.shards.testing.RawPeer;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.TestNet;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;

class HandlerFailureTest {
  private final Pattern pattern = new Pattern(29);

  /** What handlers throw here. */
  private static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Broken(String where) {
      super(where);
    }
  }

  private static Broken broken(String where) {
    return new Broken(where);
  }

  /** A connection that must not notice anything. */
  private final class Bystander {
    private final RawPeer peer;
    private long position;

    Bystander(TestNet net) throws IOException, InterruptedException {
      peer = net.accepted(RecordingHandler.echoing());
      echo();
    }

    void echo() throws IOException {
      peer.send(pattern, position, 1000);
      assertThat(peer.receive(1000)).isEqualTo(pattern.bytes(position, 1000));
      position += 1000;
    }
  }

  private static void assertEndedBy(RecordingHandler handler, RawPeer peer, Throwable cause)
      throws Exception {
    assertThat(peer.endsByReset()).isTrue();
    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.HandlerFailed(cause));
  }

  @EachBackend
  void anExceptionWhenOpenedEndsThatConnectionAlone(TestNet net) throws Exception {
    Bystander bystander = new Bystander(net);
    Broken cause = broken("opened");
    RecordingHandler handler =
        RecordingHandler.silent()
            .whenOpened(
                connection -> {
                  throw cause;
                });
    RawPeer peer = net.accepted(handler);
    assertEndedBy(handler, peer, cause);
    bystander.echo();
    assertThat(net.shard().counters().get(Counter.HANDLER_FAILURES)).isEqualTo(1);
  }

  @EachBackend
  void anExceptionWhenReceivedEndsThatConnectionAlone(TestNet net) throws Exception {
    Bystander bystander = new Bystander(net);
    Broken cause = broken("received");
    RecordingHandler handler =
        RecordingHandler.reading()
            .whenReceived(
                (connection, segment) -> {
                  throw cause; // And the segment is lost.
                });
    RawPeer peer = net.accepted(handler);
    peer.send(pattern, 0, 1000);
    assertEndedBy(handler, peer, cause);
    bystander.echo();
    net.awaitSegmentsOut(0);
  }

  @EachBackend
  void anErrorWhenReceivedIsAFailureLikeAnother(TestNet net) throws Exception {
    Bystander bystander = new Bystander(net);
    RecordingHandler handler =
        RecordingHandler.reading()
            .whenReceived(
                (connection, segment) -> {
                  segment.release();
                  recurseForEver(0);
                });
    RawPeer peer = net.accepted(handler);
    peer.send(pattern, 0, 10);
    assertThat(handler.awaitClosed())
        .isInstanceOfSatisfying(
            CloseReason.HandlerFailed.class,
            failed -> assertThat(failed.cause()).isInstanceOf(StackOverflowError.class));
    assertThat(peer.endsByReset()).isTrue();
    bystander.echo();
  }

  @SuppressWarnings("InfiniteRecursion")
  private static int recurseForEver(int depth) {
    return recurseForEver(depth + 1) + 1;
  }

  @EachBackend
  void anExceptionAtThePeersEndEndsThatConnectionAlone(TestNet net) throws Exception {
    Bystander bystander = new Bystander(net);
    Broken cause = broken("peer finished");
    RecordingHandler handler =
        RecordingHandler.reading()
            .whenPeerFinished(
                connection -> {
                  throw cause;
                });
    RawPeer peer = net.accepted(handler);
    peer.finish();
    assertEndedBy(handler, peer, cause);
    bystander.echo();
  }

  @EachBackend
  void anExceptionWhenWritableEndsThatConnectionAlone(TestNet net) throws Exception {
    Bystander bystander = new Bystander(net);
    Broken cause = broken("writable");
    RecordingHandler handler =
        RecordingHandler.silent()
            .whenWritable(
                connection -> {
                  throw cause;
                });
    ListenOptions options =
        ListenOptions.defaults()
            .withAcceptedSocket(SocketOptions.none().with(SocketOption.SO_SNDBUF, 1 << 14))
            .withConnection(ConnectionOptions.defaults().withWatermarks(1000, 1 << 18));
    RawPeer peer = net.accepted(options, handler);
    handler.tell(
        connection -> {
          for (long at = 0; connection.isWritable(); at += 1000) {
            connection.write(PatternSource.segment(connection, pattern, at, 1000));
          }
        });
    assertEndedBy(handler, peer, cause);
    bystander.echo();
    net.awaitSegmentsOut(0);
  }

  @EachBackend
  void anExceptionInAnAckEndsThatConnectionAlone(TestNet net) throws Exception {
    Bystander bystander = new Bystander(net);
    Broken cause = broken("ack");
    RecordingHandler handler = RecordingHandler.silent();
    RawPeer peer = net.accepted(handler);
    handler.tell(
        connection ->
            connection.tryWrite(
                PatternSource.segment(connection, pattern, 0, 10), new BrokenAck(cause)));
    assertEndedBy(handler, peer, cause);
    bystander.echo();
  }

  private record BrokenAck(Broken cause) implements WriteAck {
    @Override
    public void onWritten() {
      throw cause;
    }

    @Override
    public void onFailed(CloseReason reason) {
      throw cause;
    }
  }

  @EachBackend
  void anExceptionInTheLastCallbacksIsLoggedAndCounted(TestNet net) throws Exception {
    net.expectError("the handler of connection 2 of shard 0");
    net.expectError("a write ack of connection 2 of shard 0");
    Bystander bystander = new Bystander(net);
    RecordingHandler handler =
        RecordingHandler.silent()
            .whenClosed(
                (connection, reason) -> {
                  throw broken("closed");
                });
    RawPeer peer = net.accepted(handler);
    handler.tell(
        connection -> {
          connection.tryWrite(
              PatternSource.segment(connection, pattern, 0, 10),
              new BrokenAck(broken("failed ack")));
          connection.abort();
        });
    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.Aborted());
    assertThat(peer.endsByReset()).isTrue();
    bystander.echo();
    assertThat(net.shard().counters().get(Counter.HANDLER_FAILURES)).isEqualTo(2);
  }

  @EachBackend
  void aListenerWhoseHandlersCannotBeMadeServesTheNext(TestNet net) throws Exception {
    net.expectError("the supplier of handlers failed on shard 0");
    boolean[] made = new boolean[1];
    Listener listener =
        net.listenEach(
            ListenOptions.defaults(),
            () -> {
              if (!made[0]) {
                made[0] = true;
                throw broken("made");
              }
              return RecordingHandler.echoing();
            });
    assertThat(net.peerOf(listener).endsByReset()).isTrue();
    RawPeer peer = net.peerOf(listener);
    peer.send(pattern, 0, 10);
    assertThat(peer.receive(10)).isEqualTo(pattern.bytes(0, 10));
    assertThat(listener.openCount()).isEqualTo(1);
  }

  @EachBackend
  void aPlacementThatFailsRefusesThatConnectionAlone(TestNet net) throws Exception {
    net.expectError("the placement failed on shard 0");
    int[] placed = new int[1];
    Listener listener =
        net.listenEach(
            ListenOptions.defaults()
                .withPlacement(
                    () ->
                        openCounts -> {
                          placed[0]++;
                          if (placed[0] == 1) {
                            throw broken("placed");
                          }
                          return placed[0] == 2 ? 7 : 0;
                        }),
            RecordingHandler::echoing);
    net.expectError("chose shard 7 of 1");
    assertThat(net.peerOf(listener).endsByReset()).isTrue();
    assertThat(net.peerOf(listener).endsByReset()).isTrue();
    RawPeer peer = net.peerOf(listener);
    peer.send(pattern, 0, 10);
    assertThat(peer.receive(10)).isEqualTo(pattern.bytes(0, 10));
    assertThat(listener.openCount()).isEqualTo(1);
  }

  @EachBackend
  void aTaskThatThrowsIsLoggedAndHarmsNobody(TestNet net) throws Exception {
    net.expectError("task");
    Bystander bystander = new Bystander(net);
    net.shard()
        .execute(
            () -> {
              throw broken("task");
            });
    bystander.echo();
  }

  @EachBackend
  void aTaskThatLeavesItsThreadInterruptedHarmsNoConnection(TestNet net) throws Exception {
    Bystander bystander = new Bystander(net);
    RecordingHandler handler = RecordingHandler.silent();
    RawPeer peer = net.accepted(handler);
    handler.tell(
        connection -> {
          connection.write(PatternSource.segment(connection, pattern, 0, 10));
          Thread.currentThread().interrupt();
        });
    assertThat(peer.receive(10)).isEqualTo(pattern.bytes(0, 10));
    bystander.echo();
    assertThat(handler.isClosed()).isFalse();
  }

  @EachBackend
  void aHandlerThatLeavesItsThreadInterruptedHarmsNoConnection(TestNet net) throws Exception {
    RecordingHandler interrupting =
        RecordingHandler.echoing()
            .whenReceived(
                (connection, segment) -> {
                  connection.write(segment);
                  Thread.currentThread().interrupt();
                });
    RawPeer first = net.accepted(interrupting);
    Bystander bystander = new Bystander(net);
    for (int i = 0; i < 20; i++) {
      CountDownLatch release = net.holdUp(net.shard());
      first.send(pattern, 0, 10);
      bystander.peer.send(pattern, bystander.position, 1000);
      release.countDown();
      assertThat(first.receive(10)).isEqualTo(pattern.bytes(0, 10));
      assertThat(bystander.peer.receive(1000)).isEqualTo(pattern.bytes(bystander.position, 1000));
      bystander.position += 1000;
    }
    assertThat(interrupting.isClosed()).isFalse();
  }
}
