package io.penstock.shards.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.Listener;
import io.penstock.shards.ShardGroup;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.RawPeer;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.TestNet;
import io.penstock.shards.testing.Wait;
import org.junit.jupiter.api.Tag;

/** How connections spread over two shards by default. */
class PlacementTest {

  // B35
  @EachBackend
  void longConnectionsSpreadEvenlyAndShortOnesNearlySo(TestNet net) throws Exception {
    shortOnesThenLongOnes(net, 600);
  }

  // B35
  @Tag("slow")
  @EachBackend
  void longConnectionsSpreadEvenlyBehindManyShortOnes(TestNet net) throws Exception {
    shortOnesThenLongOnes(net, 20_000);
  }

  private static void shortOnesThenLongOnes(TestNet net, int shortOnes) throws Exception {
    ShardGroup group = net.start(options -> options.withShards(2));
    Listener listener = net.listenEach(ListenOptions.defaults(), RecordingHandler::echoing);
    for (int i = 0; i < shortOnes; i++) {
      try (RawPeer peer = RawPeer.connect(TestNet.jdkAddress(listener.local()))) {
        peer.send((byte) 3);
        assertThat(peer.receive(1)).containsExactly(3);
      }
    }
    Wait.until("short connections end", () -> listener.openCount() == 0);
    assertThat(group.shard(0).counters().get(Counter.ACCEPTED))
        .isBetween(shortOnes * 4L / 10, shortOnes * 6L / 10);

    for (int i = 0; i < 100; i++) {
      net.peerOf(listener);
    }
    Wait.until("long connections open", () -> listener.openCount() == 100);

    assertThat(listener.openCount(0)).isBetween(45, 55);
    assertThat(listener.openCount(1)).isBetween(45, 55);
  }
}
