package io.penstock.shards.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.poller.IoResult;
import io.penstock.shards.testing.FakeStreamSocket;
import io.penstock.shards.testing.ScriptedHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Paused connections on a backend that does not tell of their resets by itself. */
class ResetWatchTest extends ConnectionStepTest {
  private static final Duration A_ROUND = Duration.ofMillis(501);

  @BeforeEach
  void nothingIsReportedWhileParked() {
    shard.poller().reportsNothingWhileParked();
    handler.opened(connection -> {});
  }

  @Test
  void aPausedConnectionIsLookedAtUntilItIsBroken() {
    FakeStreamSocket socket = accept();
    shard.after(A_ROUND);
    shard.after(A_ROUND);
    assertThat(handler.calls()).containsExactly("opened");

    socket.breaksUnseen(IoResult.ECONNRESET);
    shard.after(A_ROUND);

    assertThat(handler.reason()).isInstanceOf(CloseReason.PeerReset.class);
    shard.after(A_ROUND);
    assertThat(shard.loop().timers().size()).isZero();
  }

  @Test
  void aConnectionThatReadsIsNotLookedAtAndNoTimerRuns() {
    FakeStreamSocket socket = accept();
    connection().demandUnbounded();
    socket.breaksUnseen(IoResult.ECONNRESET);
    shard.after(A_ROUND);
    shard.after(A_ROUND);
    assertThat(shard.loop().timers().size()).isZero();
    assertThat(handler.calls()).containsExactly("opened");

    connection().pause();
    shard.after(A_ROUND);

    assertThat(handler.reason()).isInstanceOf(CloseReason.PeerReset.class);
  }

  @Test
  void whoHasFinishedIsNotTakenForBroken() {
    FakeStreamSocket socket = accept();
    connection().finish();
    shard.turnUntilIdle();
    socket.breaksUnseen(IoResult.EPIPE);
    shard.after(A_ROUND);

    assertThat(handler.calls()).containsExactly("opened");
  }

  @Test
  void ofManyAllAreNoticedThoughARoundHasABound() {
    List<ScriptedHandler> handlers = new ArrayList<>();
    List<FakeStreamSocket> paused = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      ScriptedHandler own = new ScriptedHandler().opened(connection -> {});
      handlers.add(own);
      paused.add(watched(shard.accept(own)));
    }
    paused.forEach(socket -> socket.breaksUnseen(IoResult.ECONNRESET));
    shard.after(A_ROUND);
    assertThat(handlers).filteredOn(h -> h.reason() != null).hasSizeBetween(1, 299);

    for (int i = 0; i < 10; i++) {
      shard.after(A_ROUND);
    }

    assertThat(handlers).allMatch(h -> h.reason() instanceof CloseReason.PeerReset);
    assertThat(shard.loop().timers().size()).isZero();
  }
}
