package io.penstock.shards.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.shards.ConnectionFailedException;
import io.penstock.shards.Listener;
import io.penstock.shards.ShardGroup;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.net.CloseReason;
import io.penstock.shards.net.ConnectOptions;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.testing.Addresses;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.Pattern;
import io.penstock.shards.testing.PatternSource;
import io.penstock.shards.testing.RawListener;
import io.penstock.shards.testing.RawPeer;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.TestNet;
import io.penstock.shards.testing.Transport;
import io.penstock.shards.testing.Wait;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;

class ConnectTest {
  private final Pattern pattern = new Pattern(41);

  private static Endpoint.Tcp tcp(String address, int port) {
    return new Endpoint.Tcp(Addresses.at(address, port));
  }

  private static int freePort(String address) throws IOException {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(Addresses.at(address, 0));
      return ((InetSocketAddress) listener.getLocalAddress()).getPort();
    }
  }

  /** The reason, as the handler and the future both tell it. */
  private static CloseReason awaitFailure(RecordingHandler handler, CompletionStage<?> connecting)
      throws InterruptedException {
    CloseReason reason = handler.awaitClosed();
    assertThat(handler.isOpened()).isFalse();
    assertThat(connecting.toCompletableFuture())
        .failsWithin(Duration.ofSeconds(1))
        .withThrowableThat()
        .havingCause()
        .isInstanceOfSatisfying(
            ConnectionFailedException.class,
            failed -> assertThat(failed.reason()).isEqualTo(reason));
    return reason;
  }

  private static IOException awaitConnectFailed(
      RecordingHandler handler, CompletionStage<?> connecting) throws InterruptedException {
    CloseReason reason = awaitFailure(handler, connecting);
    assertThat(reason).isInstanceOf(CloseReason.ConnectFailed.class);
    return ((CloseReason.ConnectFailed) reason).cause();
  }

  // B02
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void aPendingConnectDoesNotHoldUpAStop(TestNet net) throws Exception {
    stopWhileConnecting(net, 3);
  }

  // B02
  @Tag("slow")
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void aPendingConnectNeverHoldsUpAStop(TestNet net) throws Exception {
    stopWhileConnecting(net, 50);
  }

  private static void stopWhileConnecting(TestNet net, int repeats) throws Exception {
    RawListener stalled = net.rawListener(2);
    stalled.fillQueue(2);
    ConnectOptions shortly = ConnectOptions.defaults().withTimeout(Duration.ofMillis(1));
    ConnectOptions longer = ConnectOptions.defaults().withTimeout(Duration.ofMinutes(1));
    for (int i = 0; i < repeats; i++) {
      try (ShardGroup group = ShardGroup.start(net.options())) {
        RecordingHandler first = net.noting(RecordingHandler.silent());
        RecordingHandler second = net.noting(RecordingHandler.silent());
        var connectingFirst = group.connect(stalled.endpoint(), shortly, first);
        var connectingSecond = group.connect(stalled.endpoint(), longer, second);

        group.stop(Duration.ofSeconds(5)).toCompletableFuture().get(3, TimeUnit.SECONDS);

        assertThat(awaitFailure(first, connectingFirst))
            .isIn(new CloseReason.ConnectTimeout(Duration.ofMillis(1)), new CloseReason.Closed());
        assertThat(awaitFailure(second, connectingSecond)).isEqualTo(new CloseReason.Closed());
        group.shard(0).thread().join(3000);
        assertThat(group.shard(0).thread().isAlive()).isFalse();
      }
    }
  }

  // B04
  @EachBackend
  void aConnectThatReachesItsOwnSocketFailsAndFreesThePort(TestNet net) throws Exception {
    for (String target : new String[] {"127.0.0.1", "0.0.0.0"}) {
      int port = freePort("127.0.0.1");
      RecordingHandler handler = RecordingHandler.silent();
      var connecting =
          net.connect(
              tcp(target, port),
              ConnectOptions.defaults().withLocal(tcp("127.0.0.1", port)),
              handler);

      assertThat(awaitConnectFailed(handler, connecting))
          .hasMessageContaining("this very socket")
          .hasMessageContaining(Integer.toString(port));
      try (ServerSocketChannel listener = ServerSocketChannel.open()) {
        listener.setOption(StandardSocketOptions.SO_REUSEADDR, false);
        listener.bind(Addresses.at("127.0.0.1", port));
      }
      Listener listener =
          net.group()
              .listen(Endpoint.loopback(port), ListenOptions.defaults(), RecordingHandler::echoing);
      net.peerOf(listener).send((byte) 1);
    }
    assertThat(net.shard().counters().get(Counter.CONNECTED)).isZero();
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void aConnectNobodyListensForFailsWithTheCause(TestNet net) throws Exception {
    Endpoint nobody;
    try (RawListener listener = RawListener.open(TestNet.jdkAddress(net.anyAddress()), 1)) {
      nobody = listener.endpoint();
    }
    RecordingHandler handler = RecordingHandler.silent();
    var connecting = net.connect(nobody, ConnectOptions.defaults(), handler);
    assertThat(awaitConnectFailed(handler, connecting))
        .hasMessageContaining(nobody.toString())
        .hasMessageMatching(
            "(?i)"
                + (net.isUnix() ? ".*(no such file|ENOENT|errno 2).*" : ".*connection refused.*"));
  }

  @EachBackend(over = Transport.UNIX)
  void aSocketFileThatNobodyListensOnRefuses(TestNet net) throws Exception {
    Path path = net.newPath();
    try (ServerSocketChannel abandoned = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      abandoned.bind(UnixDomainSocketAddress.of(path));
    }
    RecordingHandler handler = RecordingHandler.silent();
    var connecting =
        net.connect(new Endpoint.UnixPath(path.toString()), ConnectOptions.defaults(), handler);
    assertThat(awaitConnectFailed(handler, connecting)).hasMessageContaining("refused");
    Files.delete(path);
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void aConnectionCarriesBytesBothWays(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.reading().expecting(pattern);
    RawPeer peer = net.connected(ConnectOptions.defaults(), handler);
    assertThat(peer.channel().getRemoteAddress().toString()).isNotNull();
    handler.tell(
        connection -> connection.write(PatternSource.segment(connection, pattern, 0, 5000)));
    assertThat(peer.receive(5000)).isEqualTo(pattern.bytes(0, 5000));
    peer.send(pattern, 0, 100_000);
    handler.awaitReceived(100_000);
    handler.requireExactly(100_000);
    assertThat(net.shard().counters().get(Counter.CONNECTED)).isEqualTo(1);
  }

  @EachBackend(over = Transport.UNIX)
  void aConnectOnAFullBacklogGoesThroughOnceThereIsRoom(TestNet net) throws Exception {
    RawListener listener = net.rawListener(2);
    listener.fillQueue(2);
    RecordingHandler handler = RecordingHandler.reading();
    net.connect(listener.endpoint(), ConnectOptions.defaults(), handler);
    Wait.whileTrue(
        Duration.ofMillis(100), "it waits", () -> !handler.isOpened() && !handler.isClosed());
    for (int i = 0; i < 3; i++) {
      net.closing(listener.accept());
    }
    handler.awaitOpened();
    try (RawPeer peer = listener.accept()) {
      peer.send((byte) 5);
      handler.awaitReceived(1);
    }
  }

  @EachBackend
  void aConnectComesFromTheLocalAddressAskedFor(TestNet net) throws Exception {
    RawListener listener = net.rawListener(8);
    int port = freePort("127.0.0.3");
    Endpoint[] locals = {
      tcp("127.0.0.2", 0), tcp("127.0.0.3", port), Endpoint.tcp("127.0.0.4", 0), null
    };
    String[] expected = {"127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.1"};
    for (int i = 0; i < locals.length; i++) {
      RecordingHandler handler = RecordingHandler.reading();
      net.connect(listener.endpoint(), ConnectOptions.defaults().withLocal(locals[i]), handler);
      handler.awaitOpened();
      try (RawPeer peer = listener.accept()) {
        InetSocketAddress from = (InetSocketAddress) peer.channel().getRemoteAddress();
        assertThat(from.getAddress().getHostAddress()).isEqualTo(expected[i]);
        assertThat(handler.ask(Connection::local)).isEqualTo(new Endpoint.Tcp(from));
        assertThat(handler.ask(Connection::remote)).isEqualTo(listener.endpoint());
        if (i == 1) {
          assertThat(from.getPort()).isEqualTo(port);
        }
      }
      handler.awaitClosed();
    }
  }

  @EachBackend
  void aLocalAddressThatCannotBeHadFailsTheConnect(TestNet net) throws Exception {
    RawListener listener = net.rawListener(8);
    RawListener taken = net.rawListener(1);
    for (Endpoint local : new Endpoint[] {taken.endpoint(), tcp("192.0.2.1", 0)}) {
      RecordingHandler handler = RecordingHandler.silent();
      var connecting =
          net.connect(listener.endpoint(), ConnectOptions.defaults().withLocal(local), handler);
      assertThat(awaitConnectFailed(handler, connecting))
          .hasMessageContaining(local.toString())
          .hasMessageMatching("(?i).*(address already in use|cannot assign requested address).*");
    }
  }

  @EachBackend
  void aLocalAddressOfAnotherKindIsRefused(TestNet net) {
    Endpoint path = new Endpoint.UnixPath("/never-made");
    Endpoint port = Endpoint.loopback(0);
    for (Endpoint[] pair : new Endpoint[][] {{path, path}, {path, port}, {port, path}}) {
      assertThatIllegalArgumentException()
          .isThrownBy(
              () ->
                  net.connect(
                      pair[0],
                      ConnectOptions.defaults().withLocal(pair[1]),
                      new RecordingHandler()))
          .withMessageContaining("local address");
    }
  }

  @EachBackend
  void aHostNameIsResolvedOnAThreadThatIsNoShard(TestNet net) throws Exception {
    RawListener listener = net.rawListener(8);
    int port = ((InetSocketAddress) listener.address()).getPort();
    RecordingHandler handler = RecordingHandler.silent();
    var release = net.holdUp(net.shard());
    CompletableFuture<?> connecting =
        net.connect(Endpoint.tcp("localhost", port), ConnectOptions.defaults(), handler)
            .toCompletableFuture();
    Wait.until(
        "a thread of its own looks the name up while the shard is held up",
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("penstock-test-resolver")));
    assertThat(connecting).isNotDone();
    release.countDown();
    handler.awaitOpened();
    listener.accept().close();
  }

  @EachBackend
  void aHostThatIsNotKnownFailsTheConnect(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.silent();
    var connecting =
        net.connect(Endpoint.tcp("no..such..host", 80), ConnectOptions.defaults(), handler);
    assertThat(awaitConnectFailed(handler, connecting))
        .isInstanceOf(UnknownHostException.class)
        .hasMessageContaining("no..such..host");
    RecordingHandler other = RecordingHandler.silent();
    var connectingFrom =
        net.connect(
            Endpoint.loopback(80),
            ConnectOptions.defaults().withLocal(Endpoint.tcp("no..such..local", 0)),
            other);
    assertThat(awaitConnectFailed(other, connectingFrom)).hasMessageContaining("no..such..local");
  }

  @EachBackend
  void aConnectOverTheShardsLimitFails(TestNet net) throws Exception {
    net.start(options -> options.withMaxConnectionsPerShard(1));
    RawListener listener = net.rawListener(8);
    RecordingHandler first = RecordingHandler.reading();
    net.connect(listener.endpoint(), ConnectOptions.defaults(), first);
    first.awaitOpened();
    RecordingHandler second = RecordingHandler.silent();
    var connecting = net.connect(listener.endpoint(), ConnectOptions.defaults(), second);
    assertThat(awaitConnectFailed(second, connecting)).hasMessageContaining("limit of 1");
    assertThat(net.shard().counters().get(Counter.REFUSED)).isEqualTo(1);
    listener.accept().close();
    first.awaitClosed();
    RecordingHandler third = RecordingHandler.reading();
    net.connect(listener.endpoint(), ConnectOptions.defaults(), third);
    third.awaitOpened();
    listener.accept().close();
  }

  @EachBackend
  void aGroupThatHasStoppedRefusesToConnect(TestNet net) throws Exception {
    net.group().close();
    CompletableFuture<?> connecting =
        net.connect(Endpoint.loopback(1), ConnectOptions.defaults(), RecordingHandler.silent())
            .toCompletableFuture();
    assertThatThrownBy(() -> connecting.get(1, TimeUnit.SECONDS))
        .hasCauseInstanceOf(RejectedExecutionException.class);
  }

  @EachBackend
  void bothProtocolsOfTheLoopbackAreReached(TestNet net) throws Exception {
    for (String host : new String[] {"127.0.0.1", "::1"}) {
      try (RawListener listener = RawListener.open(Addresses.at(host, 0), 8)) {
        int port = ((InetSocketAddress) listener.address()).getPort();
        RecordingHandler handler = RecordingHandler.reading();
        net.connect(Endpoint.tcp(host, port), ConnectOptions.defaults(), handler);
        handler.awaitOpened();
        try (RawPeer peer = listener.accept()) {
          peer.send((byte) 3);
          handler.awaitReceived(1);
        }
        handler.awaitClosed();
      }
    }
  }
}
