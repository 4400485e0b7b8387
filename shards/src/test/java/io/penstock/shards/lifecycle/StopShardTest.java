package io.penstock.shards.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.shards.Listener;
import io.penstock.shards.ShardGroup;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.net.ConnectOptions;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.net.ListenOptions.Accepting;
import io.penstock.shards.net.Placement;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.RawPeer;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.TestNet;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** One shard stops while clients connect; the others go on. */
class StopShardTest {
  private static final int CLIENTS = 40;
  private static final Duration DRAIN = Duration.ofSeconds(5);

  // B41
  @EachBackend
  void whoWaitsInTheQueueOfTheStoppedShardIsServedByAnother(TestNet net) throws Exception {
    int echoed = served(net, ListenOptions.defaults());

    // Some were with the shard already and are closed in order.
    assertThat(echoed).isPositive();
  }

  @EachBackend
  void whoWaitsInTheQueueOfTheStoppedAcceptorIsServedByAnother(TestNet net) throws Exception {
    assertThat(served(net, ListenOptions.defaults().withAccepting(Accepting.ACCEPTOR)))
        .isEqualTo(CLIENTS);
  }

  @EachBackend
  void nobodyIsPlacedOnAShardThatHasStopped(TestNet net) throws Exception {
    ListenOptions onTheFirst =
        ListenOptions.defaults()
            .withAccepting(Accepting.ACCEPTOR)
            .withPlacement(() -> Placement.fixed(0));

    assertThat(served(net, onTheFirst)).isEqualTo(CLIENTS);
  }

  @EachBackend
  void whatMovesToAShardThatStopsNextMovesOn(TestNet net) throws Exception {
    ShardGroup group = net.start(small -> small.withShards(3));
    Listener listener = net.listenEach(ListenOptions.defaults(), RecordingHandler::echoing);
    CountDownLatch releaseFirst = net.holdUp(group.shard(0));
    CountDownLatch releaseSecond = net.holdUp(group.shard(1));
    List<RawPeer> peers = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      RawPeer peer = net.peerOf(listener);
      peer.send((byte) 9);
      peers.add(peer);
    }
    CompletableFuture<Void> first = group.stopShard(0, DRAIN).toCompletableFuture();
    CompletableFuture<Void> second = group.stopShard(1, DRAIN).toCompletableFuture();
    releaseFirst.countDown();
    releaseSecond.countDown();

    requireEchoOrEnd(peers);
    first.get(10, TimeUnit.SECONDS);
    second.get(10, TimeUnit.SECONDS);
    for (int i = 0; i < 8; i++) {
      RawPeer late = net.peerOf(listener);
      late.send((byte) 1);
      assertThat(late.receive(1)).containsExactly(1);
    }
  }

  /** How many of the clients are echoed; the others see an end, and none a reset. */
  private static int served(TestNet net, ListenOptions options) throws Exception {
    ShardGroup group = net.start(small -> small.withShards(2));
    Listener listener = net.listenEach(options, RecordingHandler::echoing);
    CountDownLatch release = net.holdUp(group.shard(0));
    List<RawPeer> peers = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      RawPeer peer = net.peerOf(listener);
      peer.send((byte) 9);
      peers.add(peer);
    }
    CompletableFuture<Void> stopped = group.stopShard(0, DRAIN).toCompletableFuture();
    release.countDown();

    int echoed = requireEchoOrEnd(peers);
    stopped.get(10, TimeUnit.SECONDS);
    assertThat(listener.openCount(0)).isZero();
    return echoed;
  }

  private static int requireEchoOrEnd(List<RawPeer> peers) throws IOException {
    int echoed = 0;
    for (RawPeer peer : peers) {
      peer.channel().socket().setSoTimeout(10_000);
      int answer = peer.channel().socket().getInputStream().read();
      assertThat(answer).isIn(9, -1);
      echoed += answer == 9 ? 1 : 0;
    }
    return echoed;
  }

  @EachBackend
  void aGroupWithAStoppedShardListensAndConnects(TestNet net) throws Exception {
    ShardGroup group = net.start(small -> small.withShards(2));
    group.stopShard(0, DRAIN).toCompletableFuture().get(10, TimeUnit.SECONDS);

    Listener listener = net.listenEach(ListenOptions.defaults(), RecordingHandler::echoing);
    for (int i = 0; i < 4; i++) {
      RawPeer peer = net.peerOf(listener);
      peer.send((byte) 1);
      assertThat(peer.receive(1)).containsExactly(1);
      RecordingHandler client = RecordingHandler.reading();
      group
          .connect(listener.local(), ConnectOptions.defaults(), client)
          .toCompletableFuture()
          .get(10, TimeUnit.SECONDS);
    }
    assertThatThrownBy(() -> group.stopShard(1, DRAIN)).isInstanceOf(IllegalStateException.class);
  }

  // B08
  @EachBackend
  void clientsWhoConnectWhileListenersComeAndGoSeeAnEchoOrAnEnd(TestNet net) throws Exception {
    ShardGroup group = net.start(small -> small.withShards(2));
    Listener current = net.listenEach(ListenOptions.defaults(), RecordingHandler::echoing);
    Endpoint endpoint = current.local();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    List<Future<Integer>> clients = new ArrayList<>();
    CompletableFuture<Void> stopped = null;
    try {
      for (int i = 0; i < 4; i++) {
        clients.add(threads.submit(() -> connectAgainAndAgain(TestNet.jdkAddress(endpoint), 50)));
      }
      for (int i = 0; i < 20; i++) {
        current.close().toCompletableFuture().get(10, TimeUnit.SECONDS);
        current = group.listen(endpoint, ListenOptions.defaults(), RecordingHandler::echoing);
        if (i == 10) {
          stopped = group.stopShard(0, DRAIN).toCompletableFuture();
        }
      }
      int echoed = 0;
      for (Future<Integer> client : clients) {
        echoed += client.get(30, TimeUnit.SECONDS);
      }
      assertThat(echoed).isPositive();
      stopped.get(10, TimeUnit.SECONDS);
    } finally {
      threads.shutdownNow();
      assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  /** How many were echoed; the others found nobody or were closed at once, and none waits long. */
  private static int connectAgainAndAgain(SocketAddress address, int times) throws Exception {
    int echoed = 0;
    for (int i = 0; i < times; i++) {
      try (RawPeer peer = RawPeer.connect(address)) {
        peer.channel().socket().setSoTimeout(2_000);
        peer.channel().socket().getOutputStream().write(5);
        int answer = peer.channel().socket().getInputStream().read();
        assertThat(answer).isIn(5, -1);
        echoed += answer == 5 ? 1 : 0;
      } catch (ConnectException e) {
        LockSupport.parkNanos(1_000); // Nobody listens just now.
      } catch (SocketTimeoutException e) {
        throw e;
      } catch (IOException e) {
        // It came between the last accept and the close: the kernel resets it.
        assertThat(e).hasMessageMatching("(?i).*(reset|broken pipe).*");
      }
    }
    return echoed;
  }
}
