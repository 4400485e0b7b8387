package io.penstock.shards.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.SocketOptions;
import io.penstock.shards.loop.TimerQueue;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.poller.ConnectRequest;
import io.penstock.shards.poller.IoResult;
import io.penstock.shards.testing.FakeStreamSocket;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Connecting and its deadline, and how long a quiet connection lives. */
class ConnectAndTimeoutTest extends ConnectionStepTest {
  private final List<ConnectionState> decided = new ArrayList<>();

  @Test
  void aConnectThatSucceedsOpensTheConnection() {
    FakeStreamSocket socket = connecting(IoResult.PENDING);
    connect(socket, Duration.ofSeconds(1));
    shard.turnUntilIdle();
    assertThat(decided).isEmpty();

    socket.connectEnds(0);
    shard.turnUntilIdle();

    assertThat(decided).containsExactly(ConnectionState.OPEN);
    assertThat(handler.calls()).containsExactly("opened");
    assertThat(shard.timersLeftAfterLong()).isZero();
    assertThat(shard.count(Counter.CONNECTED)).isEqualTo(1);
  }

  @Test
  void aConnectThatIsOverAtOnceIsToldInATurnOfItsOwn() {
    connect(connecting(0), Duration.ofSeconds(1));
    assertThat(handler.calls()).isEmpty();

    shard.turnUntilIdle();

    assertThat(handler.calls()).containsExactly("opened");
  }

  @Test
  void whatIsWrittenBeforeTheConnectEndsLeavesThen() {
    FakeStreamSocket socket = connecting(IoResult.PENDING);
    Connection connection = connect(socket, Duration.ofSeconds(1));
    assertThat(connection.tryWrite(segment("early "), ack("early"))).isTrue();
    connection.finish();
    connection.demand(1);
    shard.turnUntilIdle();
    assertThat(socket.writes()).isZero();

    socket.connectEnds(0);
    shard.turnUntilIdle();

    assertThat(peerGot(socket)).isEqualTo("early ");
    assertThat(acks).containsExactly("early");
    assertThat(socket.isFinished()).isTrue();
    assertThat(socket.isReceiveWanted()).isTrue();
  }

  @Test
  void aRefusedConnectFailsOnceWithItsError() {
    FakeStreamSocket socket = connecting(IoResult.PENDING);
    connect(socket, Duration.ofSeconds(1));
    socket.connectEnds(IoResult.ECONNREFUSED);
    shard.turnUntilIdle();

    assertThat(decided).containsExactly(ConnectionState.CLOSED);
    assertThat(handler.calls()).containsExactly("closed");
    assertThat(handler.reason())
        .isInstanceOfSatisfying(
            CloseReason.ConnectFailed.class,
            failed ->
                assertThat(failed.cause())
                    .hasMessageContaining("127.0.0.1:9")
                    .hasMessageContaining("connection refused (ECONNREFUSED)"));
    shard.after(Duration.ofSeconds(2));
    assertThat(decided).hasSize(1);
  }

  @Test
  void aConnectThatCannotBeTriedFails() {
    shard.poller().failConnectsWith(new IOException("no descriptor left"));
    connect(connecting(0), Duration.ofSeconds(1));
    shard.turnUntilIdle();

    assertThat(decided).containsExactly(ConnectionState.CLOSED);
    assertThat(handler.reason())
        .isInstanceOfSatisfying(
            CloseReason.ConnectFailed.class,
            failed -> assertThat(failed.cause()).hasMessage("no descriptor left"));
    assertThat(shard.timersLeftAfterLong()).isZero();
  }

  @Test
  void aConnectThatTheBackendThrowsAtFailsToo() {
    shard.poller().failConnectsWith(new IllegalArgumentException("an address of another family"));
    connect(connecting(0), Duration.ofSeconds(1));
    shard.turnUntilIdle();

    assertThat(decided).containsExactly(ConnectionState.CLOSED);
    assertThat(handler.reason())
        .isInstanceOfSatisfying(
            CloseReason.ConnectFailed.class,
            failed ->
                assertThat(failed.cause()).hasRootCauseMessage("an address of another family"));
  }

  @Test
  void aConnectThatTakesTooLongEndsAtItsDeadlineAndNotBefore() {
    FakeStreamSocket socket = connecting(IoResult.PENDING);
    connect(socket, Duration.ofMillis(10));
    shard.turnUntilIdle();
    shard.after(Duration.ofNanos(9_999_999));
    assertThat(decided).isEmpty();

    shard.after(Duration.ofMillis(1));
    assertThat(handler.reason()).isEqualTo(new CloseReason.ConnectTimeout(Duration.ofMillis(10)));
    assertThat(socket.isClosed()).isTrue();
    socket.connectEnds(0);
    shard.turnUntilIdle();

    assertThat(decided).containsExactly(ConnectionState.CLOSED);
    assertThat(handler.calls()).containsExactly("closed");
  }

  @Test
  void aFullBacklogOfAUnixSocketIsTriedAgainUntilItHasRoom() {
    List<FakeStreamSocket> full = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      full.add(connecting(IoResult.WOULD_BLOCK));
    }
    FakeStreamSocket taken = connecting(0);
    full.forEach(shard.poller()::connectWith);
    connectUnix(taken, Duration.ofSeconds(1));
    shard.turnUntilIdle();
    assertThat(full.get(0).isClosed()).isTrue();
    for (int i = 0; i < 10; i++) {
      shard.after(Duration.ofMillis(2));
    }

    assertThat(full).allMatch(FakeStreamSocket::isClosed);
    assertThat(decided).containsExactly(ConnectionState.OPEN);
    assertThat(shard.timersLeftAfterLong()).isZero();
  }

  @Test
  void aBacklogThatStaysFullEndsAtTheDeadline() {
    for (int i = 0; i < 100; i++) {
      shard.poller().connectWith(connecting(IoResult.WOULD_BLOCK));
    }
    connectUnix(connecting(0), Duration.ofMillis(200));
    shard.turnUntilIdle();
    for (int i = 0; i < 300 && decided.isEmpty(); i++) {
      shard.after(Duration.ofMillis(1));
    }

    assertThat(handler.reason()).isEqualTo(new CloseReason.ConnectTimeout(Duration.ofMillis(200)));
    assertThat(shard.timersLeftAfterLong()).isZero();
    shard.after(Duration.ofSeconds(1));
    assertThat(handler.calls()).containsExactly("closed");
  }

  @Test
  void closingOrAbortingAConnectEndsIt() {
    for (boolean abort : List.of(true, false)) {
      FakeStreamSocket socket = connecting(IoResult.PENDING);
      Connection connection = connect(socket, Duration.ofSeconds(1));
      shard.turnUntilIdle();
      if (abort) {
        connection.abort();
      } else {
        connection.close();
      }
      shard.turnUntilIdle();
      assertThat(socket.isClosed()).isTrue();
      assertThat(handler.calls()).containsExactly("closed");
      handler.calls().clear();
    }
    assertThat(decided).containsExactly(ConnectionState.CLOSED, ConnectionState.CLOSED);
  }

  @Test
  void aShardThatStopsConnectsNoMoreAndSaysSo() {
    shard.net().stopAccepting();
    connect(connecting(0), Duration.ofSeconds(1));
    shard.turnUntilIdle();

    assertThat(decided).containsExactly(ConnectionState.CLOSED);
    assertThat(handler.reason()).isEqualTo(new CloseReason.ShardStopped());
  }

  @Test
  void aConnectAtTheVeryEndOfTheLoopIsToldThatTheShardStops() {
    shard.net().stopAccepting();
    shard.loop().execute(() -> connect(connecting(0), Duration.ofSeconds(1)));

    shard.loop().end();

    assertThat(decided).containsExactly(ConnectionState.CLOSED);
    assertThat(handler.calls()).containsExactly("closed");
    assertThat(handler.reason()).isEqualTo(new CloseReason.ShardStopped());
  }

  static List<Duration> withoutEnd() {
    return List.of(
        Duration.ofDays(36_500),
        Duration.ofNanos(Long.MAX_VALUE),
        Duration.ofMillis(Long.MAX_VALUE),
        Duration.ofSeconds(Long.MAX_VALUE, 999_999_999));
  }

  @ParameterizedTest
  @MethodSource("withoutEnd")
  void aTimeoutWithoutMeasureMeansNever(Duration timeout) {
    FakeStreamSocket socket =
        accept(ConnectionOptions.defaults().withIdleTimeout(timeout).withLinger(timeout, 1 << 20));
    FakeStreamSocket slow = connecting(IoResult.PENDING);
    connect(slow, timeout);
    shard.turnUntilIdle();
    shard.after(Duration.ofDays(3_650));
    assertThat(socket.isClosed()).isFalse();
    assertThat(slow.isClosed()).isFalse();

    connection().close();
    shard.turnUntilIdle();
    shard.after(Duration.ofDays(3_650));
    assertThat(socket.isClosed()).isFalse();
    // Asleep, and not woken by any of them.
    assertThat(shard.poller().waitDeadlineNanos()).isEqualTo(TimerQueue.NEVER);
    shard.net().endAll();
    shard.turnUntilIdle();
    handler.calls().clear();
  }

  @Test
  void aTimeoutOfNothingOrLessIsRefusedOrMeansNever() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ConnectOptions.defaults().withTimeout(Duration.ZERO));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ConnectOptions.defaults().withTimeout(Duration.ofNanos(-1)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ConnectionOptions.defaults().withIdleTimeout(Duration.ofNanos(-1)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ConnectionOptions.defaults().withLinger(Duration.ofNanos(-1), 1));
    FakeStreamSocket socket = accept(ConnectionOptions.defaults().withIdleTimeout(Duration.ZERO));
    shard.after(Duration.ofDays(365));
    assertThat(socket.isClosed()).isFalse();
  }

  @Test
  void theShortestTimeoutsEndAndNotBeforeTheyAreOver() {
    FakeStreamSocket slow = connecting(IoResult.PENDING);
    connect(slow, Duration.ofNanos(1));
    shard.loop().execute(() -> assertThat(slow.isClosed()).isFalse());
    shard.after(Duration.ofNanos(2));
    assertThat(handler.reason()).isInstanceOf(CloseReason.ConnectTimeout.class);
  }

  @Test
  void aConnectionOnWhichNothingMovesEndsAfterItsIdleTimeout() {
    FakeStreamSocket socket =
        accept(ConnectionOptions.defaults().withIdleTimeout(Duration.ofMillis(100)));
    shard.turnUntilIdle();
    shard.after(Duration.ofMillis(60));
    socket.arrive(bytes("a"));
    shard.turnUntilIdle();
    shard.after(Duration.ofMillis(60));
    write("b");
    shard.turnUntilIdle();
    shard.after(Duration.ofMillis(99));
    assertThat(socket.isClosed()).isFalse();

    shard.after(Duration.ofMillis(2));

    assertThat(handler.reason()).isEqualTo(new CloseReason.IdleTimeout(Duration.ofMillis(100)));
    assertThat(socket.isReset()).isTrue();
  }

  private FakeStreamSocket connecting(int result) {
    return watched(new FakeStreamSocket(shard.poller()).connecting(result));
  }

  private Connection connect(FakeStreamSocket socket, Duration timeout) {
    return shard.connect(
        socket,
        ConnectOptions.defaults().withTimeout(timeout),
        handler,
        connection -> decided.add(connection.state()));
  }

  private void connectUnix(FakeStreamSocket last, Duration timeout) {
    shard.poller().connectWith(last);
    shard
        .net()
        .connect(
            new ConnectRequest(new Endpoint.UnixPath("/nowhere"), null, SocketOptions.none()),
            ConnectOptions.defaults().withTimeout(timeout),
            handler,
            connection -> decided.add(connection.state()));
  }
}
