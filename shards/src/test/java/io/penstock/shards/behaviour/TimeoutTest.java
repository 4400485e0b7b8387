package io.penstock.shards.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.penstock.shards.ConnectionFailedException;
import io.penstock.shards.net.CloseReason;
import io.penstock.shards.net.ConnectOptions;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ConnectionOptions;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.testing.CpuUse;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.Pattern;
import io.penstock.shards.testing.PatternSource;
import io.penstock.shards.testing.RawListener;
import io.penstock.shards.testing.RawPeer;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.TestNet;
import io.penstock.shards.testing.Transport;
import io.penstock.shards.testing.Wait;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TimeoutTest {
  private static final Duration IDLE = Duration.ofMillis(200);
  private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

  private final Pattern pattern = new Pattern(31);

  private static ListenOptions idle(Duration timeout) {
    return ListenOptions.defaults()
        .withConnection(ConnectionOptions.defaults().withIdleTimeout(timeout));
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void aConnectionOnWhichNothingMovesEndsAtItsIdleTimeout(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.silent();
    long before = System.nanoTime();
    RawPeer peer = net.accepted(idle(IDLE), handler);
    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.IdleTimeout(IDLE));
    assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(IDLE.toNanos());
    if (!net.isUnix()) {
      assertThat(peer.endsByReset()).isTrue();
    }
  }

  @EachBackend
  void whatIsReceivedPutsTheIdleTimeoutOff(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.reading();
    RawPeer peer = net.accepted(idle(IDLE), handler);
    long begun = System.nanoTime();
    Wait.until(
        "twice the timeout has passed",
        () -> {
          peer.send((byte) 1);
          return System.nanoTime() - begun > 2 * IDLE.toNanos();
        });
    assertThat(handler.isClosed()).isFalse();
    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.IdleTimeout(IDLE));
  }

  @EachBackend
  void whatIsSentPutsTheIdleTimeoutOff(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.silent();
    net.accepted(idle(IDLE), handler);
    long begun = System.nanoTime();
    Wait.until(
        "twice the timeout has passed",
        () -> {
          handler.tell(
              connection -> connection.write(PatternSource.segment(connection, pattern, 0, 1)));
          return System.nanoTime() - begun > 2 * IDLE.toNanos();
        });
    assertThat(handler.isClosed()).isFalse();
    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.IdleTimeout(IDLE));
  }

  @EachBackend
  void outputThatNobodyTakesIsNoActivity(TestNet net) throws Exception {
    PatternSource source = new PatternSource(pattern, 64 << 20, 1 << 14, Connection::close);
    RecordingHandler handler =
        RecordingHandler.silent().whenOpened(source::pump).whenWritable(source::pump);
    net.accepted(idle(IDLE), handler);
    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.IdleTimeout(IDLE));
    net.awaitSegmentsOut(0);
  }

  // B63
  @EachBackend
  void aTimeoutThatIsHugeNeverComes(TestNet net) throws Exception {
    RecordingHandler accepted = RecordingHandler.reading();
    RawPeer peer = net.accepted(idle(FOREVER), accepted);
    RecordingHandler connected = RecordingHandler.reading();
    net.connected(
        ConnectOptions.defaults()
            .withTimeout(FOREVER)
            .withConnection(ConnectionOptions.defaults().withIdleTimeout(FOREVER)),
        connected);
    peer.send((byte) 1);
    accepted.awaitReceived(1);
    CpuUse.requireIdle(Duration.ofMillis(200));
    assertThat(accepted.isClosed()).isFalse();
    assertThat(connected.isClosed()).isFalse();
  }

  // B63
  @Test
  void timeoutsThatMakeNoSenseAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ConnectionOptions.defaults().withIdleTimeout(Duration.ofNanos(-1)))
        .withMessageContaining("idleTimeout");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ConnectionOptions.defaults().withLinger(Duration.ofNanos(-1), 0))
        .withMessageContaining("lingerTimeout");
    for (Duration timeout : new Duration[] {Duration.ZERO, Duration.ofSeconds(-1)}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ConnectOptions.defaults().withTimeout(timeout))
          .withMessageContaining("connect timeout");
    }
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void aConnectThatTakesTooLongFails(TestNet net) throws Exception {
    RawListener stalled = net.rawListener(2);
    stalled.fillQueue(2);
    for (Duration timeout : new Duration[] {Duration.ofNanos(1), IDLE}) {
      RecordingHandler handler = RecordingHandler.silent();
      long before = System.nanoTime();
      var connecting =
          net.connect(stalled.endpoint(), ConnectOptions.defaults().withTimeout(timeout), handler)
              .toCompletableFuture();
      assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.ConnectTimeout(timeout));
      assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(timeout.toNanos());
      assertThat(handler.isOpened()).isFalse();
      assertThat(connecting)
          .failsWithin(Duration.ofSeconds(1))
          .withThrowableThat()
          .havingCause()
          .isInstanceOfSatisfying(
              ConnectionFailedException.class,
              failed ->
                  assertThat(failed.reason()).isEqualTo(new CloseReason.ConnectTimeout(timeout)));
    }
  }
}
