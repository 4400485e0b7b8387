package io.penstock.shards.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.Listener;
import io.penstock.shards.ShardGroup;
import io.penstock.shards.core.Backend;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.RawPeer;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.TestNet;
import java.io.IOException;
import org.junit.jupiter.api.Tag;

/** Groups that are started and stopped again and again. */
class StartStopTest {
  private static final int WARM_ROUNDS = 3;

  // B67
  @EachBackend
  void roundsOfStartEchoAndStopLeaveNothing(Backend backend) throws Exception {
    leavesNothing(backend, 30);
  }

  @Tag("slow")
  @EachBackend
  void manyRoundsOfStartEchoAndStopLeaveNothing(Backend backend) throws Exception {
    leavesNothing(backend, 300);
  }

  private static void leavesNothing(Backend backend, int rounds) throws Exception {
    for (int i = 0; i < WARM_ROUNDS; i++) {
      round(backend);
    }
    Footprint early = Footprint.now();
    for (int i = WARM_ROUNDS; i < rounds; i++) {
      round(backend);
    }

    assertThat(Footprint.now()).isEqualTo(early);
  }

  private static void round(Backend backend) throws IOException {
    try (ShardGroup group = ShardGroup.start(Groups.small(backend, 2))) {
      requireEcho(group);
    }
  }

  private static void requireEcho(ShardGroup group) throws IOException {
    Listener listener =
        group.listen(Endpoint.loopback(0), ListenOptions.defaults(), RecordingHandler::echoing);
    try (RawPeer peer = RawPeer.connect(TestNet.jdkAddress(listener.local()))) {
      peer.send((byte) 7);
      assertThat(peer.receive(1)).containsExactly(7);
    }
  }

  @EachBackend
  void twoGroupsLiveAndEndIndependently(Backend backend) throws Exception {
    try (ShardGroup second = ShardGroup.start(Groups.small(backend, 2))) {
      try (ShardGroup first = ShardGroup.start(Groups.small(backend, 2))) {
        requireEcho(first);
        requireEcho(second);
      }
      requireEcho(second);
    }
  }
}
