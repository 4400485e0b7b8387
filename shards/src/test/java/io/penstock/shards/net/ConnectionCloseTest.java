package io.penstock.shards.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.shards.memory.Segment;
import io.penstock.shards.poller.IoResult;
import io.penstock.shards.testing.FakeStreamSocket;
import io.penstock.shards.testing.ScriptedHandler;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ways in which a connection ends, and in which order. */
class ConnectionCloseTest extends ConnectionStepTest {
  private static final ConnectionOptions SHORT_LINGER =
      ConnectionOptions.defaults().withLinger(Duration.ofMillis(100), 10);

  private static final ConnectionOptions CLOSE_TIMEOUT =
      ConnectionOptions.defaults().withCloseTimeout(Duration.ofSeconds(10));

  @Test
  void closingSendsWhatIsQueuedThenFinishesThenWaitsForThePeersEnd() {
    FakeStreamSocket socket = accept();
    writeAcked("one ");
    writeAcked("two");
    connection().close();
    assertThat(connection().tryWrite(segmentToDrop())).isFalse();
    assertThat(socket.isFinished()).isFalse();

    shard.turn();
    assertThat(peerGot(socket)).isEqualTo("one two");
    assertThat(acks).containsExactly("one ", "two");
    assertThat(socket.isFinished()).isTrue();
    assertThat(socket.isClosed()).isFalse();
    assertThat(connection().state()).isEqualTo(ConnectionState.LINGERING);
    socket.arrive(bytes("too late"));
    socket.peerFinishes();
    shard.turn();

    assertThat(handler.reason()).isEqualTo(new CloseReason.Closed());
    assertThat(handler.receivedBytes()).isEmpty();
    assertThat(socket.isClosed()).isTrue();
    assertThat(socket.isReset()).isFalse();
    assertThat(handler.calls()).containsExactly("opened", "closed");
  }

  @Test
  void aPeerThatDoesNotEndIsWaitedForAsLongAsLingerSays() {
    FakeStreamSocket socket = accept(SHORT_LINGER);
    connection().close();
    shard.turnUntilIdle();
    shard.after(Duration.ofMillis(99));
    assertThat(socket.isClosed()).isFalse();

    shard.after(Duration.ofMillis(2));

    assertThat(handler.reason()).isEqualTo(new CloseReason.Closed());
    assertThat(socket.isReset()).isFalse();
  }

  @Test
  void aPeerThatSendsMoreThanIsDiscardedIsNotWaitedFor() {
    FakeStreamSocket socket = accept(SHORT_LINGER);
    connection().close();
    shard.turnUntilIdle();
    socket.arrive(bytes("123456789"));
    shard.turnUntilIdle();
    assertThat(socket.isClosed()).isFalse();

    socket.arrive(bytes("0"));
    shard.turnUntilIdle();

    assertThat(handler.reason()).isEqualTo(new CloseReason.Closed());
  }

  @Test
  void withoutLingerAClosedConnectionEndsOnceItsOutputIsGone() {
    FakeStreamSocket socket = accept(ConnectionOptions.defaults().withLinger(Duration.ZERO, 0));
    write("bye");
    connection().close();

    shard.turnUntilIdle();

    assertThat(peerGot(socket)).isEqualTo("bye");
    assertThat(socket.isFinished()).isTrue();
    assertThat(handler.reason()).isEqualTo(new CloseReason.Closed());
  }

  @Test
  void closingWaitsForRoomAndDiscardsWhatComesMeanwhile() {
    FakeStreamSocket socket = accept();
    socket.nextWrite(2);
    writeAcked("slowly");
    connection().close();
    shard.turnUntilIdle();
    assertThat(peerGot(socket)).isEqualTo("sl");
    socket.arrive(bytes("unheard"));
    socket.peerFinishes();
    shard.turnUntilIdle();
    assertThat(connection().state()).isEqualTo(ConnectionState.CLOSING);
    assertThat(acks).isEmpty();

    socket.becomeWritable();
    shard.turnUntilIdle();

    assertThat(peerGot(socket)).isEqualTo("slowly");
    assertThat(acks).containsExactly("slowly");
    assertThat(handler.reason()).isEqualTo(new CloseReason.Closed());
    assertThat(handler.receivedBytes()).isEmpty();
    assertThat(handler.calls()).containsExactly("opened", "closed");
  }

  @Test
  void aClosedConnectionWhosePeerTakesNothingIsAbortedAtItsTimeout() {
    FakeStreamSocket socket = accept(CLOSE_TIMEOUT);
    socket.nextWrite(2);
    writeAcked("slowly");
    connection().close();
    shard.turnUntilIdle();
    shard.after(Duration.ofSeconds(9));
    socket.nextWrite(1);
    socket.becomeWritable();
    shard.turnUntilIdle();
    socket.arrive(bytes("what the peer sends is no progress"));
    shard.after(Duration.ofSeconds(1));
    shard.after(Duration.ofSeconds(9));
    assertThat(connection().state()).isEqualTo(ConnectionState.CLOSING);

    shard.after(Duration.ofSeconds(2));

    assertThat(handler.reason()).isEqualTo(new CloseReason.CloseTimeout(Duration.ofSeconds(10)));
    assertThat(acks).containsExactly("slowly failed: CloseTimeout");
    assertThat(socket.isReset()).isTrue();
  }

  @Test
  void aShorterIdleTimeoutEndsAClosedConnectionBefore() {
    accept(CLOSE_TIMEOUT.withIdleTimeout(Duration.ofSeconds(3))).nextWrite(2);
    write("slowly");
    connection().close();
    shard.turnUntilIdle();

    shard.after(Duration.ofSeconds(4));

    assertThat(handler.reason()).isEqualTo(new CloseReason.IdleTimeout(Duration.ofSeconds(3)));
  }

  @Test
  void withoutACloseTimeoutAClosedConnectionWaitsForItsPeer() {
    FakeStreamSocket socket = accept(ConnectionOptions.defaults().withCloseTimeout(Duration.ZERO));
    socket.nextWrite(2);
    write("slowly");
    connection().close();
    shard.turnUntilIdle();
    shard.after(Duration.ofDays(1));
    assertThat(connection().state()).isEqualTo(ConnectionState.CLOSING);

    socket.becomeWritable();
    shard.turnUntilIdle();

    assertThat(peerGot(socket)).isEqualTo("slowly");
  }

  @Test
  void abortingDropsWhatIsQueuedAndResets() {
    FakeStreamSocket socket = accept();
    writeAcked("never");
    connection().abort();
    shard.turnUntilIdle();

    assertThat(peerGot(socket)).isEmpty();
    assertThat(acks).containsExactly("never failed: Aborted");
    assertThat(socket.isReset()).isTrue();
    assertThat(handler.reason()).isEqualTo(new CloseReason.Aborted());
  }

  @Test
  void bothSidesFinishedIsTheOrderlyEndWhoeverWasFirst() {
    FakeStreamSocket socket = accept();
    connection().finish();
    shard.turnUntilIdle();
    assertThat(socket.isFinished()).isTrue();
    socket.arrive(bytes("answer"));
    socket.peerFinishes();
    shard.turnUntilIdle();

    assertThat(text(handler.receivedBytes())).isEqualTo("answer");
    assertThat(handler.calls()).containsExactly("opened", "peerFinished", "closed");
    assertThat(handler.reason()).isEqualTo(new CloseReason.Finished());
    assertThat(socket.isReset()).isFalse();
  }

  @Test
  void thePeersEndLeavesTheOwnSideOpen() {
    FakeStreamSocket socket = accept();
    socket.peerFinishes();
    shard.turnUntilIdle();
    assertThat(connection().isPeerFinished()).isTrue();
    write("still here");
    shard.turnUntilIdle();
    assertThat(peerGot(socket)).isEqualTo("still here");

    connection().finish();
    shard.turnUntilIdle();

    assertThat(handler.reason()).isEqualTo(new CloseReason.Finished());
    assertThat(handler.calls()).containsExactly("opened", "peerFinished", "closed");
  }

  @Test
  void finishingWaitsForAWriteInFlight() {
    FakeStreamSocket socket = accept();
    socket.nextWrite(IoResult.PENDING);
    writeAcked("first");
    connection().finish();
    shard.turnUntilIdle();
    assertThat(socket.isFinished()).isFalse();

    socket.completeWrite(5);
    shard.turnUntilIdle();

    assertThat(acks).containsExactly("first");
    assertThat(socket.isFinished()).isTrue();
    assertThat(connection().state()).isEqualTo(ConnectionState.OPEN);
  }

  @Test
  void whatAWriteInFlightUsesIsKeptUntilItCompletesThoughTheConnectionEnds() {
    FakeStreamSocket socket = accept();
    socket.nextWrite(IoResult.PENDING);
    writeAcked("in flight");
    writeAcked("behind");
    shard.turnUntilIdle();
    int out = shard.pool().leasedCount();

    connection().abort();
    shard.turnUntilIdle();
    assertThat(acks).containsExactly("in flight failed: Aborted", "behind failed: Aborted");
    assertThat(shard.pool().leasedCount()).isEqualTo(out);
    assertThat(handler.reason()).isNull();
    socket.completeWrite(9);
    shard.turnUntilIdle();

    assertThat(shard.pool().leasedCount()).isEqualTo(out - 2);
    assertThat(handler.reason()).isEqualTo(new CloseReason.Aborted());
    assertThat(acks).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, IoResult.ECANCELED, IoResult.ECONNRESET, IoResult.EPIPE})
  void howAWriteEndsAfterTheConnectionChangesNothing(int result) {
    FakeStreamSocket socket = accept();
    socket.nextWrite(IoResult.PENDING);
    writeAcked("in flight");
    shard.turnUntilIdle();
    connection().abort();
    socket.completeWrite(result);
    shard.turnUntilIdle();

    assertThat(handler.reason()).isEqualTo(new CloseReason.Aborted());
    assertThat(acks).containsExactly("in flight failed: Aborted");
  }

  @Test
  void theHandlerIsToldOnlyOnceTheKernelHasLetGo() {
    FakeStreamSocket socket = accept();
    socket.holdRelease();
    connection().abort();
    shard.turnUntilIdle();
    assertThat(handler.calls()).containsExactly("opened");
    assertThat(shard.net().openCount()).isEqualTo(1);

    socket.letGo();
    shard.turnUntilIdle();

    assertThat(handler.calls()).containsExactly("opened", "closed");
    assertThat(shard.net().openCount()).isZero();
  }

  @Test
  void theFirstCauseStays() {
    FakeStreamSocket socket = accept();
    socket.holdRelease();
    socket.breaks(IoResult.ECONNRESET);
    shard.turnUntilIdle();
    connection().abort();
    connection().close();
    connection().finish();
    socket.tellReadable(true);
    socket.becomeWritable();
    socket.breaks(IoResult.ETIMEDOUT);
    socket.letGo();
    shard.turnUntilIdle();

    assertThat(handler.reason()).isInstanceOf(CloseReason.PeerReset.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {IoResult.ECONNRESET, IoResult.EPIPE, IoResult.ECONNABORTED})
  void aPeerThatIsGoneIsAResetWhereverItIsNoticed(int errno) {
    for (Consumer<FakeStreamSocket> notice : placesToNotice(errno)) {
      ScriptedHandler closed = new ScriptedHandler();
      FakeStreamSocket socket = watched(shard.accept(closed));
      closed.connection().write(segment("data"));
      notice.accept(socket);
      shard.turnUntilIdle();
      assertThat(closed.reason()).isEqualTo(new CloseReason.PeerReset(IoResult.describe(errno)));
      assertThat(socket.isReset()).isTrue();
      assertThat(closed.calls()).containsExactly("opened", "closed");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {IoResult.ETIMEDOUT, IoResult.EIO, IoResult.ENOMEM, -1})
  void anotherFailureIsNamedWhereverItIsNoticed(int errno) {
    for (Consumer<FakeStreamSocket> notice : placesToNotice(errno)) {
      ScriptedHandler closed = new ScriptedHandler();
      FakeStreamSocket socket = watched(shard.accept(closed));
      closed.connection().write(segment("data"));
      notice.accept(socket);
      shard.turnUntilIdle();
      assertThat(closed.reason())
          .isInstanceOfSatisfying(
              CloseReason.Failed.class,
              failed -> assertThat(failed.cause()).hasMessage(IoResult.describe(errno)));
      assertThat(closed.calls()).containsExactly("opened", "closed");
    }
  }

  private static List<Consumer<FakeStreamSocket>> placesToNotice(int errno) {
    return List.of(
        socket -> socket.nextWrite(errno),
        socket -> socket.receiveFails(errno),
        socket -> socket.receiveEnds(errno),
        socket -> socket.breaks(errno),
        socket -> {
          socket.nextWrite(IoResult.PENDING);
          socket.becomeWritable();
          socket.completeWriteOnceItIsPending(errno);
        });
  }

  @Test
  void aFinishThatTheKernelRefusesIsAReset() {
    FakeStreamSocket socket = accept();
    socket.failFinish(new IOException("not connected (ENOTCONN)"));
    connection().close();
    shard.turnUntilIdle();

    assertThat(handler.reason()).isEqualTo(new CloseReason.PeerReset("not connected (ENOTCONN)"));
  }

  @Test
  void aSocketThatThrowsEndsItsConnectionAlone() {
    FakeStreamSocket socket = accept();
    FakeStreamSocket other = watched(shard.accept(new ScriptedHandler()));
    socket.nextWriteThrows(new IllegalStateException("a defect"));
    write("data");
    shard.turnUntilIdle();

    assertThat(handler.reason())
        .isInstanceOfSatisfying(
            CloseReason.Failed.class,
            failed -> assertThat(failed.cause()).hasRootCauseMessage("a defect"));
    assertThat(other.isClosed()).isFalse();
    assertThat(shard.errors()).hasSize(1);
    shard.errors().clear();
  }

  @Test
  void eachCallbackMayCloseOrAbort() {
    for (Consumer<Connection> ending :
        List.<Consumer<Connection>>of(Connection::close, Connection::abort)) {
      endsIn(handler -> handler.opened(ending), socket -> {});
      endsIn(
          handler ->
              handler.received(
                  (connection, segment) -> {
                    segment.release();
                    ending.accept(connection);
                  }),
          socket -> socket.arrive(bytes("a")));
      endsIn(handler -> handler.peerFinished(ending), FakeStreamSocket::peerFinishes);
      endsIn(
          handler ->
              handler
                  .opened(
                      connection -> {
                        connection.demandUnbounded();
                        Segment large = connection.lease(1 << 20);
                        connection.write(large.range(0, 1 << 20));
                      })
                  .writable(ending),
          socket -> {});
      endsIn(handler -> handler.closed(ending).opened(ending), socket -> {});
    }
  }

  private void endsIn(Consumer<ScriptedHandler> script, Consumer<FakeStreamSocket> event) {
    ScriptedHandler scripted = new ScriptedHandler();
    script.accept(scripted);
    FakeStreamSocket socket = watched(shard.accept(scripted));
    shard.turnUntilIdle();
    event.accept(socket);
    shard.turnUntilIdle();
    if (!socket.isClosed()) {
      assertThat(socket.isFinished()).isTrue();
      socket.peerFinishes();
      shard.turnUntilIdle();
    }
    assertThat(scripted.calls()).endsWith("closed");
    assertThat(scripted.calls()).filteredOn("closed"::equals).hasSize(1);
    assertThat(socket.violations()).isEmpty();
  }

  @Test
  void whatACallbackThrowsEndsTheConnectionWithThatCause() {
    IllegalStateException cause = new IllegalStateException("the handler's");
    Consumer<Connection> throwing =
        connection -> {
          throw cause;
        };
    throwsIn(cause, handler -> handler.opened(throwing), socket -> {});
    throwsIn(
        cause,
        handler ->
            handler.received(
                (connection, segment) -> {
                  throw cause;
                }),
        socket -> socket.arrive(bytes("a")));
    throwsIn(
        cause,
        handler ->
            handler.received(
                (connection, segment) -> {
                  segment.release();
                  throw cause;
                }),
        socket -> socket.arrive(bytes("a")));
    throwsIn(cause, handler -> handler.peerFinished(throwing), FakeStreamSocket::peerFinishes);
    throwsIn(
        cause,
        handler ->
            handler
                .opened(
                    connection -> {
                      connection.demandUnbounded();
                      connection.write(connection.lease(1 << 20).range(0, 1 << 20));
                    })
                .writable(throwing),
        socket -> {});
    assertThat(shard.handlerErrors()).isEmpty();
  }

  private void throwsIn(
      Throwable cause, Consumer<ScriptedHandler> script, Consumer<FakeStreamSocket> event) {
    ScriptedHandler scripted = new ScriptedHandler();
    script.accept(scripted);
    FakeStreamSocket socket = watched(shard.accept(scripted));
    shard.turnUntilIdle();
    event.accept(socket);
    shard.turnUntilIdle();
    assertThat(scripted.reason()).isEqualTo(new CloseReason.HandlerFailed(cause));
    assertThat(scripted.calls()).filteredOn("closed"::equals).hasSize(1);
    assertThat(socket.isReset()).isTrue();
  }

  @Test
  void anErrorInTheLastCallbackIsHandedOnAndTheConnectionIsOver() {
    accept();
    IllegalStateException cause = new IllegalStateException("the handler's");
    handler.closed(
        connection -> {
          throw cause;
        });
    connection().abort();
    shard.turnUntilIdle();

    assertThat(shard.handlerErrors()).containsExactly(cause);
    assertThat(shard.net().openCount()).isZero();
  }

  @Test
  void theEndOfTheShardEndsConnectionsInOrderOrAtOnce() {
    FakeStreamSocket socket = accept();
    write("last words");
    shard.net().stopAccepting();
    shard.net().closeAll();
    shard.turnUntilIdle();
    assertThat(peerGot(socket)).isEqualTo("last words");
    assertThat(socket.isFinished()).isTrue();

    shard.net().endAll();
    shard.turnUntilIdle();

    assertThat(handler.reason()).isEqualTo(new CloseReason.ShardStopped());
    assertThat(socket.isReset()).isTrue();
  }

  @Test
  void onlyItsShardMayTellAConnectionWhatToDo() throws InterruptedException {
    accept();
    Connection connection = connection();
    Segment segment = segmentToDrop();
    Throwable[] thrown = new Throwable[1];
    Thread foreign =
        new Thread(
            () -> {
              assertThatThrownBy(() -> connection.tryWrite(segment))
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("belongs to the thread of its shard");
              assertThatThrownBy(connection::close).isInstanceOf(IllegalStateException.class);
              assertThatThrownBy(connection::abort).isInstanceOf(IllegalStateException.class);
              assertThatThrownBy(connection::finish).isInstanceOf(IllegalStateException.class);
              assertThatThrownBy(connection::pause).isInstanceOf(IllegalStateException.class);
              assertThatThrownBy(() -> connection.demand(1))
                  .isInstanceOf(IllegalStateException.class);
            });
    foreign.setUncaughtExceptionHandler((who, failure) -> thrown[0] = failure);
    foreign.start();
    foreign.join();

    assertThat(thrown[0]).isNull();
    assertThat(connection.state()).isEqualTo(ConnectionState.OPEN);
  }

  /** One that is refused, and released behind the test. */
  private Segment segmentToDrop() {
    Segment refused = segment("refused");
    shard.loop().execute(refused::release);
    return refused;
  }
}
