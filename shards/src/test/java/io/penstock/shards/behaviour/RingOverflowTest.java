package io.penstock.shards.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.core.Backend;
import io.penstock.shards.net.CloseReason;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.Pattern;
import io.penstock.shards.testing.RawPeer;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.TestNet;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;

/**
 * More operations than a ring has entries for, and more completions. That no operation is left in
 * the ring at its end is what the net checks of every test: the poller would log it. Netty warns of
 * each overflow of a completion queue, which by default is large enough to have none.
 */
class RingOverflowTest {
  private static final int MESSAGE_BYTES = 1024;

  // B65
  @EachBackend(Backend.IO_URING)
  void allConnectionsProgressOnATinyRing(TestNet net) throws Exception {
    pingPong(net, 100, 20);
  }

  // B65
  @Tag("slow")
  @EachBackend(Backend.IO_URING)
  void allConnectionsProgressOnATinyRingForLong(TestNet net) throws Exception {
    pingPong(net, 500, 400);
  }

  private static void pingPong(TestNet net, int connections, int rounds) throws Exception {
    startTinyRing(net);
    var listener = net.listenEach(ListenOptions.defaults(), RecordingHandler::echoing);
    List<RawPeer> peers = new ArrayList<>();
    List<Pattern> patterns = new ArrayList<>();
    List<Pattern.Check> checks = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      peers.add(net.peerOf(listener));
      patterns.add(new Pattern(i));
      checks.add(patterns.get(i).check());
    }
    for (int round = 0; round < rounds; round++) {
      CountDownLatch release = net.holdUp(net.shard());
      for (int i = 0; i < connections; i++) {
        peers.get(i).send(patterns.get(i), checks.get(i).count(), MESSAGE_BYTES);
      }
      release.countDown();
      for (int i = 0; i < connections; i++) {
        peers.get(i).receive(checks.get(i), MESSAGE_BYTES);
      }
    }
    checks.forEach(check -> check.requireExactly((long) rounds * MESSAGE_BYTES));
  }

  private static void startTinyRing(TestNet net) {
    net.start(options -> options.withRingEntries(8).withCompletionEntries(16));
    net.expectError("CompletionQueue overflow detected");
  }

  // B65
  @EachBackend(Backend.IO_URING)
  void anOverflowOfTheCompletionQueueLosesNothing(TestNet net) throws Exception {
    startTinyRing(net);
    int connections = 200;
    List<RecordingHandler> handlers = new ArrayList<>();
    List<RawPeer> peers = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      RecordingHandler handler =
          RecordingHandler.reading().expecting(new Pattern(i)).whenPeerFinished(Connection::finish);
      handlers.add(handler);
      peers.add(net.accepted(handler));
    }
    CountDownLatch release = net.holdUp(net.shard());
    for (int i = 0; i < connections; i++) {
      peers.get(i).send(new Pattern(i), 0, MESSAGE_BYTES);
      if (i % 2 == 0) {
        peers.get(i).finish();
      }
    }
    release.countDown();
    for (int i = 0; i < connections; i++) {
      handlers.get(i).awaitReceived(MESSAGE_BYTES);
      if (i % 2 == 0) {
        assertThat(handlers.get(i).awaitClosed()).isEqualTo(new CloseReason.Finished());
      } else {
        peers.get(i).send(new Pattern(i), MESSAGE_BYTES, 10);
        handlers.get(i).awaitReceived(MESSAGE_BYTES + 10);
        handlers.get(i).requireExactly(MESSAGE_BYTES + 10);
      }
    }
  }

  // B05
  @EachBackend(Backend.IO_URING)
  void aListenerAcceptsOnBehindAnOverflow(TestNet net) throws Exception {
    startTinyRing(net);
    var listener = net.listenEach(ListenOptions.defaults(), RecordingHandler::echoing);
    List<RawPeer> peers = new ArrayList<>();
    for (int round = 0; round < 5; round++) {
      CountDownLatch release = net.holdUp(net.shard());
      for (RawPeer peer : peers) {
        peer.send((byte) round);
      }
      for (int i = 0; i < 40; i++) {
        RawPeer peer = net.peerOf(listener);
        peer.send((byte) round);
        peers.add(peer);
      }
      release.countDown();
      for (RawPeer peer : peers) {
        assertThat(peer.receive(1)).containsExactly(round);
      }
    }
    assertThat(listener.openCount()).isEqualTo(peers.size());
  }
}
