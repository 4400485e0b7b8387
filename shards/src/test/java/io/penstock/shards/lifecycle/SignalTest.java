package io.penstock.shards.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.net.CloseReason;
import io.penstock.shards.net.ConnectionOptions;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.os.Libc;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.RawPeer;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.Signals;
import io.penstock.shards.testing.TestNet;
import io.penstock.shards.testing.Wait;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.condition.EnabledIf;

/** A shard whose system calls are interrupted again and again. */
@EnabledIf("canSendSignals")
class SignalTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  static boolean canSendSignals() {
    return Libc.unavailableReason() == null;
  }

  /** A wait that began anew after each signal would not end while they come. */
  // B38, the other half
  @EachBackend
  void aTimerFiresWhileSignalsInterruptTheWaitForIt(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.silent();
    ListenOptions idle =
        ListenOptions.defaults()
            .withConnection(ConnectionOptions.defaults().withIdleTimeout(TIMEOUT));
    long beginNanos = System.nanoTime();
    net.accepted(idle, handler);
    int shardThread = threadOf(net);

    Wait.until(
        "the timer fires",
        () -> {
          Signals.interruptCallOf(shardThread);
          return handler.isClosed();
        });

    assertThat(handler.awaitClosed()).isEqualTo(new CloseReason.IdleTimeout(TIMEOUT));
    assertThat(System.nanoTime() - beginNanos).isGreaterThanOrEqualTo(TIMEOUT.toNanos());
  }

  @EachBackend
  void bytesAreEchoedWhileSignalsInterruptTheShard(TestNet net) throws Exception {
    RawPeer peer = net.accepted(RecordingHandler.echoing());
    int shardThread = threadOf(net);

    for (int i = 0; i < 200; i++) {
      Signals.interruptCallOf(shardThread);
      peer.send((byte) i);
      Signals.interruptCallOf(shardThread);
      assertThat(peer.receive(1)).containsExactly((byte) i);
    }
  }

  private static int threadOf(TestNet net) {
    CompletableFuture<Integer> thread = new CompletableFuture<>();
    net.shard().execute(() -> thread.complete(Libc.gettid()));
    return thread.join();
  }
}
