package io.penstock.shards.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.shards.ShardGroup;
import io.penstock.shards.core.SocketOption;
import io.penstock.shards.core.SocketOptions;
import io.penstock.shards.net.CloseReason;
import io.penstock.shards.net.ConnectOptions;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.RawListener;
import io.penstock.shards.testing.RawPeer;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.TestNet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** A group that stops with connections in every state. */
class StopTest {

  @EachBackend
  void whatDoesNotDrainIsAbortedAtTheDeadlineAndTheStopCompletes(TestNet net) throws Exception {
    RecordingHandler stuck = RecordingHandler.silent().whenOpened(StopTest::fill);
    ListenOptions smallBuffer =
        ListenOptions.defaults()
            .withAcceptedSocket(SocketOptions.none().with(SocketOption.SO_SNDBUF, 16 << 10));
    RawPeer deaf = net.accepted(smallBuffer, stuck);
    ShardGroup group = net.group();

    CompletableFuture<Void> stopped = group.stop(Duration.ofMillis(100)).toCompletableFuture();

    stopped.get(10, TimeUnit.SECONDS);
    assertThat(stuck.awaitClosed()).isInstanceOf(CloseReason.ShardStopped.class);
    assertThat(deaf.endsByReset()).isTrue();
    assertThatThrownBy(() -> group.shard(0).execute(() -> {}))
        .isInstanceOf(RejectedExecutionException.class);
  }

  /** More than the kernel takes while the peer does not read. */
  private static void fill(Connection connection) {
    while (connection.isWritable()) {
      connection.write(connection.lease(1 << 14).range(0, 1 << 14));
    }
  }

  @EachBackend
  void connectsUnderWayAreDecidedWhenTheGroupStops(TestNet net) throws Exception {
    RawListener listener = net.rawListener(64);
    List<RecordingHandler> handlers = new ArrayList<>();
    List<CompletableFuture<?>> connects = new ArrayList<>();
    ShardGroup group = net.start(options -> options.withShards(2));
    for (int i = 0; i < 20; i++) {
      RecordingHandler handler = RecordingHandler.reading();
      handlers.add(handler);
      connects.add(
          net.connect(listener.endpoint(), ConnectOptions.defaults(), handler)
              .toCompletableFuture());
    }

    group.stop(Duration.ZERO).toCompletableFuture().get(10, TimeUnit.SECONDS);

    for (int i = 0; i < handlers.size(); i++) {
      handlers.get(i).awaitClosed();
      assertThat(connects.get(i)).isDone();
    }
  }
}
