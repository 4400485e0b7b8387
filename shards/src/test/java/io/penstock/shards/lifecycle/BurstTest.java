package io.penstock.shards.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.Listener;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.RawPeer;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.TestNet;
import io.penstock.shards.testing.Wait;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;

/** Many who connect at once, to a shard with the smallest ring, while an old connection floods. */
class BurstTest {
  // B05
  @EachBackend
  void everyClientOfEachBurstIsEchoed(TestNet net) throws Exception {
    bursts(net, 3, 200);
  }

  // B05
  @Tag("slow")
  @EachBackend
  void everyClientOfManyBurstsIsEchoed(TestNet net) throws Exception {
    bursts(net, 10, 500);
  }

  private static void bursts(TestNet net, int count, int clients) throws Exception {
    net.start(options -> options.withRingEntries(8));
    Listener listener = net.listenEach(ListenOptions.defaults(), RecordingHandler::echoing);
    Listener sink = net.listen(RecordingHandler.reading().whenReceived((c, s) -> s.release()));
    RawPeer flooder = net.peerOf(sink);
    AtomicBoolean over = new AtomicBoolean();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<?> flood = thread.submit(() -> flood(flooder, over));
      for (int i = 0; i < count; i++) {
        burst(listener, clients);
        Wait.until("the burst ends", () -> listener.openCount() == 0);
      }
      over.set(true);
      flood.get(10, TimeUnit.SECONDS);
    } finally {
      over.set(true);
      thread.shutdownNow();
      assertThat(thread.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static Void flood(RawPeer flooder, AtomicBoolean over) throws IOException {
    byte[] data = new byte[1 << 14];
    while (!over.get()) {
      flooder.send(data);
    }
    return null;
  }

  private static void burst(Listener listener, int clients) throws IOException {
    List<RawPeer> peers = new ArrayList<>();
    try {
      for (int i = 0; i < clients; i++) {
        RawPeer peer = RawPeer.connect(TestNet.jdkAddress(listener.local()));
        peers.add(peer);
        peer.send((byte) i);
      }
      for (int i = 0; i < clients; i++) {
        assertThat(peers.get(i).receive(1)).containsExactly((byte) i);
      }
    } finally {
      for (RawPeer peer : peers) {
        peer.close();
      }
    }
  }
}
