package io.penstock.shards;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.loop.LoopOptions;
import io.penstock.shards.loop.ShardLoop;
import io.penstock.shards.loop.TurnMonitor;
import io.penstock.shards.memory.SegmentPool;
import io.penstock.shards.metrics.ShardCounters;
import io.penstock.shards.net.ConnectOptions;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.net.ListenerCore;
import io.penstock.shards.net.NetShard;
import io.penstock.shards.net.ShardListener;
import io.penstock.shards.pinning.PinningPlan;
import io.penstock.shards.poller.Poller;
import io.penstock.shards.poller.nio.NioPoller;
import io.penstock.shards.testing.CapturedLog;
import io.penstock.shards.testing.FakePoller;
import io.penstock.shards.testing.RawListener;
import io.penstock.shards.testing.RawPeer;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.ResourceCheck;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A shard whose kernel interface fails while it runs, beside one that goes on. */
@ExtendWith(ResourceCheck.class)
class ShardFailureTest {
  private final CapturedLog log = CapturedLog.of(Shard.class);
  private Shard failed;
  private Shard running;

  @BeforeEach
  void start() throws Exception {
    FakePoller broken = new FakePoller();
    broken.failWith(new IOException("the interface broke"));
    failed = shard(0, broken);
    running = shard(1, new NioPoller());
    assertThat(failed.start().get(10, TimeUnit.SECONDS)).isNull();
    assertThat(running.start().get(10, TimeUnit.SECONDS)).isNull();
    failed.thread().join(10_000);
    assertThat(failed.thread().isAlive()).isFalse();
  }

  @AfterEach
  void stop() throws Exception {
    running.stop(0).get(10, TimeUnit.SECONDS);
    running.thread().join(10_000);
    log.close();
  }

  @Test
  void itSaysSoAndCountsAsOneThatStops() {
    assertThat(log.events())
        .singleElement()
        .asString()
        .contains("shard 0 ended by a failure of its own");
    assertThat(failed.isStopping()).isTrue();
    assertThat(running.isStopping()).isFalse();
  }

  @Test
  void noConnectGoesThere() throws Exception {
    HostResolver resolver = new HostResolver("penstock-test-resolver");
    try (RawListener listener =
        RawListener.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8)) {
      Connector connector = new Connector(new Shard[] {failed, running}, resolver);
      for (int i = 0; i < 4; i++) {
        RecordingHandler handler = RecordingHandler.reading();
        connector
            .connect(listener.endpoint(), ConnectOptions.defaults(), handler)
            .toCompletableFuture()
            .get(10, TimeUnit.SECONDS);
        try (RawPeer peer = listener.accept()) {
          handler.awaitOpened();
          assertThat(peer.channel().isConnected()).isTrue();
        }
      }
    } finally {
      resolver.close();
    }
  }

  @Test
  void noSocketIsOpenedThereAndNoneWhenTheListenerIsClosed() throws Exception {
    ListenerCore core =
        new ListenerCore(
            ListenOptions.defaults(),
            RecordingHandler::echoing,
            new NetShard[] {failed.net(), running.net()},
            false);
    List<ListenerSockets> told = new ArrayList<>();
    ListenerSockets sockets = new ListenerSockets(core, told::add);
    assertThat(sockets.open(failed, ShardFailureTest::mustNotOpen)).isNull();

    sockets.close().get(10, TimeUnit.SECONDS);

    assertThat(told).containsExactly(sockets);
    assertThat(sockets.open(running, ShardFailureTest::mustNotOpen)).isNull();
    running.announceStop();
    assertThat(new ListenerSockets(core, told::add).open(running, ShardFailureTest::mustNotOpen))
        .isNull();
  }

  private static ShardListener mustNotOpen() {
    throw new AssertionError("a socket was opened at " + Endpoint.loopback(0));
  }

  private static Shard shard(int index, Poller poller) {
    ShardLoop[] loop = new ShardLoop[1];
    SegmentPool pool =
        new SegmentPool(poller.memoryAddresses(), 1 << 20, System::nanoTime, () -> loop[0].ring());
    List<Throwable> unexpected = new ArrayList<>();
    loop[0] =
        new ShardLoop(
            poller,
            pool,
            LoopOptions.defaults(),
            System::nanoTime,
            new ShardCounters(),
            new TurnMonitor(index, Duration.ofMinutes(1)),
            unexpected::add);
    NetShard net =
        new NetShard(
            index, loop[0], poller, pool, 100, 0, lease -> {}, (what, t) -> unexpected.add(t));
    String name = "penstock-test-shard-" + index;
    return new Shard(index, PinningPlan.UNPINNED, name, poller, pool, loop[0], net);
  }
}
