package io.penstock.shards.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.shards.Listener;
import io.penstock.shards.ShardGroup;
import io.penstock.shards.core.Backend;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.net.ConnectionHandler;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.net.ListenOptions.Accepting;
import io.penstock.shards.os.Libc;
import io.penstock.shards.testing.Addresses;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.RawPeer;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.SocketFacts;
import io.penstock.shards.testing.TestNet;
import io.penstock.shards.testing.Wait;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Listeners that come and go while the group or one of its shards stops. */
class ListenAndStopTest {
  private static final int CLIENTS = 20;
  private static final Duration DRAIN = Duration.ofSeconds(5);

  @EachBackend
  void aClosedListenerIsForgotten(TestNet net) throws Exception {
    net.start(options -> options.withShards(2));
    WeakReference<Object> handlers = handlersOfAClosedListener(net);

    Wait.until(
        "the closed listener is collected",
        () -> {
          // What a shard has run last it still names.
          net.group().shard(0).execute(() -> {});
          net.group().shard(1).execute(() -> {});
          System.gc();
          return handlers.get() == null;
        });
  }

  private static WeakReference<Object> handlersOfAClosedListener(TestNet net) throws Exception {
    Supplier<ConnectionHandler> handlers =
        new Supplier<>() {
          @Override
          public ConnectionHandler get() {
            return RecordingHandler.echoing();
          }
        };
    Listener listener = net.listenEach(ListenOptions.defaults(), handlers);
    listener.close().toCompletableFuture().get(10, TimeUnit.SECONDS);
    return new WeakReference<>(handlers);
  }

  @EachBackend
  void aListenThatTheStopOvertakesIsRefusedAndLeavesNoSocket(TestNet net) throws Exception {
    ShardGroup group = net.start(options -> options.withShards(2));
    net.listen(RecordingHandler.silent());
    CountDownLatch releaseFirst = net.holdUp(group.shard(0));
    CountDownLatch releaseSecond = net.holdUp(group.shard(1));
    Endpoint free = freeAddress();
    FutureTask<Listener> listen =
        waitingInBackground(
            () -> group.listen(free, ListenOptions.defaults(), RecordingHandler::echoing));

    CompletableFuture<Void> stopped = group.stop(DRAIN).toCompletableFuture();
    releaseFirst.countDown();
    CountDownLatch firstIsOver = new CountDownLatch(1);
    group.shard(0).execute(firstIsOver::countDown);
    assertThat(firstIsOver.await(10, TimeUnit.SECONDS)).isTrue();
    releaseSecond.countDown();

    assertThatThrownBy(() -> listen.get(10, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(RejectedExecutionException.class);
    stopped.get(10, TimeUnit.SECONDS);
    assertThatThrownBy(() -> RawPeer.connect(TestNet.jdkAddress(free)))
        .isInstanceOf(ConnectException.class);
  }

  @EachBackend
  void whileTheGroupStopsAListenIsRefusedAtOnce(TestNet net) throws Exception {
    ShardGroup group = net.start(options -> options.withShards(2));
    net.listen(RecordingHandler.silent());
    CountDownLatch release = net.holdUp(group.shard(0));
    CompletableFuture<Void> stopped = group.stop(DRAIN).toCompletableFuture();
    FutureTask<Listener> listen =
        inBackground(() -> net.listenEach(ListenOptions.defaults(), RecordingHandler::echoing));

    assertThatThrownBy(() -> listen.get(10, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(RejectedExecutionException.class);

    assertThat(stopped).isNotDone();
    release.countDown();
    stopped.get(10, TimeUnit.SECONDS);
  }

  @EachBackend({Backend.IO_URING, Backend.EPOLL})
  void aDescriptorAdoptedWhileItsShardStopsGoesToAnother(TestNet net) throws Exception {
    ShardGroup group = net.start(options -> options.withShards(2));
    try (ServerSocketChannel bound = ServerSocketChannel.open()) {
      bound.bind(Addresses.at("127.0.0.1", 0));
      Endpoint local = new Endpoint.Tcp((InetSocketAddress) bound.getLocalAddress());
      int descriptor = Libc.duplicate(SocketFacts.listening(local));
      CountDownLatch release = net.holdUp(group.shard(0));
      FutureTask<Listener> adopt =
          waitingInBackground(
              () -> group.adopt(descriptor, ListenOptions.defaults(), RecordingHandler::echoing));
      CompletableFuture<Void> stopped = group.stopShard(0, DRAIN).toCompletableFuture();
      release.countDown();

      Listener listener = adopt.get(10, TimeUnit.SECONDS);
      stopped.get(10, TimeUnit.SECONDS);
      RawPeer peer = net.closing(RawPeer.connect(TestNet.jdkAddress(local)));
      peer.send((byte) 4);
      assertThat(peer.receive(1)).containsExactly(4);
      assertThat(listener.openCount(1)).isOne();
    }
  }

  @EachBackend
  void aListenerClosedWhileItsSocketMovesTakesInWhoWaitsAndFreesTheAddress(TestNet net)
      throws Exception {
    ShardGroup group = net.start(options -> options.withShards(2));
    Listener listener =
        net.listenEach(
            ListenOptions.defaults().withAccepting(Accepting.ACCEPTOR), RecordingHandler::echoing);
    CountDownLatch releaseFirst = net.holdUp(group.shard(0));
    CountDownLatch releaseSecond = net.holdUp(group.shard(1));
    List<RawPeer> peers = clientsOf(net, listener);
    CompletableFuture<Void> stopped = group.stopShard(0, DRAIN).toCompletableFuture();
    CountDownLatch detached = new CountDownLatch(1);
    group.shard(0).execute(detached::countDown);
    releaseFirst.countDown();
    assertThat(detached.await(10, TimeUnit.SECONDS)).isTrue();

    CompletableFuture<Void> closed = listener.close().toCompletableFuture();
    assertThat(closed).isNotDone();
    releaseSecond.countDown();

    closed.get(10, TimeUnit.SECONDS);
    assertThatThrownBy(() -> net.peerOf(listener)).isInstanceOf(ConnectException.class);
    for (RawPeer peer : peers) {
      assertThat(peer.receive(1)).containsExactly(9);
    }
    stopped.get(10, TimeUnit.SECONDS);
  }

  @EachBackend
  void whoWaitsToBeAcceptedWhenTheGroupStopsSeesAnEchoOrAnEnd(TestNet net) throws Exception {
    ShardGroup group = net.start(options -> options.withShards(2));
    Listener listener = net.listenEach(ListenOptions.defaults(), RecordingHandler::echoing);
    CountDownLatch releaseFirst = net.holdUp(group.shard(0));
    CountDownLatch releaseSecond = net.holdUp(group.shard(1));
    List<RawPeer> peers = clientsOf(net, listener);
    CompletableFuture<Void> stopped = group.stop(DRAIN).toCompletableFuture();
    releaseFirst.countDown();
    releaseSecond.countDown();

    for (RawPeer peer : peers) {
      peer.channel().socket().setSoTimeout(10_000);
      assertThat(peer.channel().socket().getInputStream().read()).isIn(9, -1);
      peer.close();
    }
    stopped.get(10, TimeUnit.SECONDS);
    assertThat(listener.openCount()).isZero();
    assertThatThrownBy(() -> net.peerOf(listener)).isInstanceOf(ConnectException.class);
  }

  private static List<RawPeer> clientsOf(TestNet net, Listener listener) throws IOException {
    List<RawPeer> peers = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      RawPeer peer = net.peerOf(listener);
      peer.send((byte) 9);
      peers.add(peer);
    }
    return peers;
  }

  /** Nobody listens there. */
  private static Endpoint freeAddress() throws IOException {
    try (ServerSocketChannel bound = ServerSocketChannel.open()) {
      bound.bind(Addresses.at("127.0.0.1", 0));
      return new Endpoint.Tcp((InetSocketAddress) bound.getLocalAddress());
    }
  }

  private static <T> FutureTask<T> inBackground(Callable<T> call) {
    FutureTask<T> task = new FutureTask<>(call);
    new Thread(task, "caller").start();
    return task;
  }

  /** Returns once the call waits for a shard. */
  private static <T> FutureTask<T> waitingInBackground(Callable<T> call) {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = new Thread(task, "caller");
    thread.start();
    Wait.until("the call waits", () -> thread.getState() == Thread.State.WAITING);
    return task;
  }
}
