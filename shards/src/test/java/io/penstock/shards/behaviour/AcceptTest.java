package io.penstock.shards.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.shards.Listener;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.SocketOption;
import io.penstock.shards.core.SocketOptions;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.testing.Addresses;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.Pattern;
import io.penstock.shards.testing.RawPeer;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.SocketFacts;
import io.penstock.shards.testing.TestNet;
import io.penstock.shards.testing.Transport;
import io.penstock.shards.testing.Wait;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;

class AcceptTest {
  private final Pattern pattern = new Pattern(59);

  private void echo(RawPeer peer) throws IOException {
    peer.send(pattern, 0, 100);
    assertThat(peer.receive(100)).isEqualTo(pattern.bytes(0, 100));
  }

  // B07
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void peersThatAreGoneBeforeTheyAreAcceptedHarmNobody(TestNet net) throws Exception {
    resetBeforeAccept(net, 200);
  }

  // B07
  @Tag("slow")
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void manyPeersThatAreGoneBeforeTheyAreAcceptedHarmNobody(TestNet net) throws Exception {
    resetBeforeAccept(net, 1000);
  }

  private void resetBeforeAccept(TestNet net, int peers) throws Exception {
    Listener listener = net.listenEach(ListenOptions.defaults(), RecordingHandler::echoing);
    echo(net.peerOf(listener));
    var release = net.holdUp(net.shard());
    for (int i = 0; i < peers; i++) {
      RawPeer.connect(TestNet.jdkAddress(listener.local())).reset();
    }
    release.countDown();
    long before = System.nanoTime();
    echo(net.peerOf(listener));
    assertThat(System.nanoTime() - before).isLessThan(TimeUnit.SECONDS.toNanos(1));
    Wait.until("only two are open", () -> listener.openCount() == 2);
    assertThat(listener.refusedCount()).isZero();
    net.awaitSegmentsOut(0);
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void connectionsOverTheListenersLimitAreRefusedAndCounted(TestNet net) throws Exception {
    Listener listener =
        net.listenEach(ListenOptions.defaults().withMaxConnections(2), RecordingHandler::echoing);
    fillTwoAndBeRefused(net, listener);
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void connectionsOverTheShardsLimitAreRefusedAndCounted(TestNet net) throws Exception {
    net.start(options -> options.withMaxConnectionsPerShard(2));
    Listener listener = net.listenEach(ListenOptions.defaults(), RecordingHandler::echoing);
    fillTwoAndBeRefused(net, listener);
  }

  private void fillTwoAndBeRefused(TestNet net, Listener listener) throws IOException {
    RawPeer first = net.peerOf(listener);
    RawPeer second = net.peerOf(listener);
    echo(first);
    echo(second);
    for (int refused = 1; refused <= 3; refused++) {
      boolean reset = net.peerOf(listener).endsByReset();
      assertThat(reset).isEqualTo(!net.isUnix());
      assertThat(listener.refusedCount()).isEqualTo(refused);
      assertThat(net.group().counters().get(Counter.REFUSED)).isEqualTo(refused);
    }
    assertThat(listener.openCount()).isEqualTo(2);
    echo(first);
    second.close();
    Wait.until("there is room for one", () -> listener.openCount() == 1);
    echo(net.peerOf(listener));
    assertThat(listener.refusedCount()).isEqualTo(3);
  }

  // B23
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void anAddressIsFreeOnceItsListenerHasClosed(TestNet net) throws Exception {
    for (int i = 0; i < 3; i++) {
      Listener listener = net.listenEach(ListenOptions.defaults(), RecordingHandler::echoing);
      long before = System.nanoTime();
      listener.close().toCompletableFuture().get(5, TimeUnit.SECONDS);
      assertThat(System.nanoTime() - before).isLessThan(TimeUnit.MILLISECONDS.toNanos(500));

      assertThatThrownBy(() -> RawPeer.connect(TestNet.jdkAddress(listener.local())))
          .isInstanceOf(SocketException.class);
      if (!net.isUnix()) {
        try (ServerSocketChannel strict = ServerSocketChannel.open()) {
          strict.setOption(StandardSocketOptions.SO_REUSEADDR, false);
          strict.bind(TestNet.jdkAddress(listener.local()));
        }
      }
      Listener again =
          net.group().listen(listener.local(), ListenOptions.defaults(), RecordingHandler::echoing);
      echo(net.peerOf(again));
      again.close().toCompletableFuture().get(5, TimeUnit.SECONDS);
    }
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void aListenerThatClosesTakesWhoWaitsAndItsConnectionsLiveOn(TestNet net) throws Exception {
    Listener listener = net.listenEach(ListenOptions.defaults(), RecordingHandler::echoing);
    RawPeer before = net.peerOf(listener);
    echo(before);
    var release = net.holdUp(net.shard());
    List<RawPeer> waiting = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      waiting.add(net.peerOf(listener));
    }
    var closing = listener.close().toCompletableFuture();
    assertThat(closing).isNotDone();
    release.countDown();
    closing.get(5, TimeUnit.SECONDS);
    for (RawPeer peer : waiting) {
      echo(peer);
    }
    echo(before);
    assertThat(listener.openCount()).isEqualTo(101);
    listener.close().toCompletableFuture().get(1, TimeUnit.SECONDS);
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void anAddressThatIsTakenIsNamed(TestNet net) throws Exception {
    Listener listener = net.listenEach(ListenOptions.defaults(), RecordingHandler::echoing);
    assertThatThrownBy(
            () ->
                net.group()
                    .listen(listener.local(), ListenOptions.defaults(), RecordingHandler::echoing))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(listener.local().toString())
        .hasMessageMatching("(?i).*address already in use.*");
    echo(net.peerOf(listener));
  }

  @EachBackend
  void theBacklogIsTheOneAskedFor(TestNet net) throws Exception {
    for (int backlog : new int[] {1, 7, 1024}) {
      Listener listener =
          net.listenEach(ListenOptions.defaults().withBacklog(backlog), RecordingHandler::echoing);
      assertThat(SocketFacts.backlog(SocketFacts.listening(listener.local()))).isEqualTo(backlog);
    }
  }

  @EachBackend
  void everyShardOfAGroupAcceptsAtTheSameAddress(TestNet net) throws Exception {
    net.start(options -> options.withShards(3));
    for (ListenOptions.Accepting accepting : ListenOptions.Accepting.values()) {
      Listener listener =
          net.listenEach(
              ListenOptions.defaults().withAccepting(accepting), RecordingHandler::echoing);
      List<RawPeer> peers = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        RawPeer peer = net.peerOf(listener);
        echo(peer);
        peers.add(peer);
      }
      assertThat(listener.openCount()).isEqualTo(60);
      int sum = 0;
      for (int shard = 0; shard < 3; shard++) {
        assertThat(listener.openCount(shard)).as("shard %d with %s", shard, accepting).isPositive();
        sum += listener.openCount(shard);
      }
      assertThat(sum).isEqualTo(60);
      for (RawPeer peer : peers) {
        peer.close();
      }
      Wait.until("all are gone", () -> listener.openCount() == 0);
    }
  }

  @EachBackend
  void onlyTheAddressAskedForIsBound(TestNet net) throws Exception {
    Listener listener =
        net.group()
            .listen(
                Endpoint.tcp("127.0.0.2", 0), ListenOptions.defaults(), RecordingHandler::echoing);
    int port = portOf(listener);
    assertThat(listener.local().toString()).isEqualTo("127.0.0.2:" + port);
    echo(net.peerOf(listener));
    assertRefused(Addresses.at("127.0.0.1", port));
    // The port is free at every other address.
    try (ServerSocketChannel other = ServerSocketChannel.open()) {
      other.bind(Addresses.at("127.0.0.1", port));
    }
  }

  @EachBackend
  void theIpv6LoopbackIsBoundAlone(TestNet net) throws Exception {
    Listener listener =
        net.group()
            .listen(Endpoint.parse("[::1]:0"), ListenOptions.defaults(), RecordingHandler::echoing);
    int port = portOf(listener);
    RecordingHandler handler = RecordingHandler.echoing();
    echo(net.peerOf(listener));
    assertRefused(Addresses.at("127.0.0.1", port));
    assertThat(handler.isOpened()).isFalse();
    try (ServerSocketChannel other = ServerSocketChannel.open()) {
      other.bind(Addresses.at("127.0.0.1", port));
    }
  }

  @EachBackend
  void allOfIpv6IsBoundWithoutIpv4OrNotAtAll(TestNet net) throws Exception {
    Endpoint any = Endpoint.parse("[::]:0");
    if (net.isNio()) {
      assertThatThrownBy(
              () -> net.group().listen(any, ListenOptions.defaults(), RecordingHandler::echoing))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("nio")
          .hasMessageContaining("IPV6_V6ONLY");
      return;
    }
    Listener listener =
        net.group().listen(any, ListenOptions.defaults(), RecordingHandler::echoing);
    int port = portOf(listener);
    echo(net.closing(RawPeer.connect(Addresses.at("::1", port))));
    assertRefused(Addresses.at("127.0.0.1", port));
  }

  @EachBackend
  void allOfIpv6TakesIpv4WhereThatIsAskedFor(TestNet net) throws Exception {
    ListenOptions both =
        ListenOptions.defaults()
            .withListenerSocket(SocketOptions.none().with(SocketOption.IPV6_V6ONLY, false));
    RecordingHandler handler = RecordingHandler.echoing();
    Listener listener = net.group().listen(Endpoint.parse("[::]:0"), both, () -> handler);
    int port = portOf(listener);
    RawPeer peer = net.closing(RawPeer.connect(Addresses.at("127.0.0.1", port)));
    echo(peer);
    Endpoint.Tcp remote = (Endpoint.Tcp) handler.ask(Connection::remote);
    assertThat(remote.address()).isEqualTo(peer.channel().getLocalAddress());
  }

  @EachBackend
  void thePeersAddressIsKnown(TestNet net) throws Exception {
    for (String host : new String[] {"127.0.0.1", "::1"}) {
      RecordingHandler handler = RecordingHandler.echoing();
      Listener listener =
          net.group().listen(Endpoint.tcp(host, 0), ListenOptions.defaults(), () -> handler);
      RawPeer peer = net.peerOf(listener);
      echo(peer);
      assertThat(handler.ask(Connection::remote))
          .isEqualTo(new Endpoint.Tcp((InetSocketAddress) peer.channel().getLocalAddress()));
      assertThat(handler.ask(Connection::local)).isEqualTo(listener.local());
    }
  }

  private static int portOf(Listener listener) {
    return ((Endpoint.Tcp) listener.local()).address().getPort();
  }

  private static void assertRefused(InetSocketAddress address) {
    assertThatThrownBy(() -> RawPeer.connect(address)).isInstanceOf(ConnectException.class);
  }

  @EachBackend
  void noSecondGroupOfListenersJoinsAnAddressByAccident(TestNet net) throws Exception {
    Listener listener = net.listenEach(ListenOptions.defaults(), RecordingHandler::echoing);
    Wait.whileTrue(Duration.ofMillis(1), "it listens", () -> listener.openCount() == 0);
    assertThat(
            SocketFacts.option(
                SocketFacts.listening(listener.local()), SocketOption.SO_REUSEPORT, false))
        .isZero();
  }
}
