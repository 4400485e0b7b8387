package io.penstock.shards.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.shards.memory.Segment;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.poller.IoResult;
import io.penstock.shards.testing.FakeStreamSocket;
import io.penstock.shards.testing.ScriptedHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is read, when, and in which order it is delivered. */
class InboundTest extends ConnectionStepTest {
  private static final int LARGE_BYTES = 1 << 18;

  @Test
  void nothingIsReadBeforeDemand() {
    handler.opened(connection -> {});
    FakeStreamSocket socket = accept();
    socket.arrive(bytes("early"));
    shard.turnUntilIdle();
    assertThat(socket.receives()).isZero();
    assertThat(socket.isReceiveWanted()).isFalse();

    connection().demand(1);
    shard.turnUntilIdle();

    assertThat(text(handler.receivedBytes())).isEqualTo("early");
  }

  @Test
  void asManySegmentsAreDeliveredAsWereAskedFor() {
    List<String> received = new ArrayList<>();
    handler
        .opened(connection -> connection.demand(3))
        .received(
            (connection, segment) -> {
              received.add(text(segment.toByteArray()));
              segment.release();
            });
    FakeStreamSocket socket = accept();
    socket.receiveAtMost(3);
    for (int i = 0; i < 10; i++) {
      socket.stage(bytes("<" + i + ">"));
    }
    socket.tellReadable(true);
    shard.turnUntilIdle();
    assertThat(received).containsExactly("<0>", "<1>", "<2>");
    assertThat(socket.isReceiveWanted()).isFalse();
    assertThat(connection().openDemand()).isZero();

    connection().demand(2);
    connection().demand(1);
    shard.turnUntilIdle();
    assertThat(received).hasSize(6).endsWith("<3>", "<4>", "<5>");
    connection().demandUnbounded();
    assertThat(socket.isUnboundedWanted()).isTrue();
    shard.turnUntilIdle();

    assertThat(received).hasSize(10);
    assertThatThrownBy(() -> connection().demand(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> connection().demand(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void pausingInTheMiddleOfAReadStopsThere() {
    handler.received(
        (connection, segment) -> {
          segment.release();
          connection.pause();
        });
    FakeStreamSocket socket = accept();
    socket.arrive(new byte[2 * LARGE_BYTES]);
    shard.turnUntilIdle();
    assertThat(handler.receivedBytes()).hasSize(LARGE_BYTES);
    assertThat(socket.reads()).isEqualTo(1);

    connection().demandUnbounded();
    shard.turnUntilIdle();

    assertThat(handler.receivedBytes()).hasSize(2 * LARGE_BYTES);
  }

  @Test
  void afterAShortReceiveTheKernelIsNotAskedAgain() {
    FakeStreamSocket socket = accept();
    socket.arrive(bytes("short"));
    shard.turnUntilIdle();

    assertThat(socket.receives()).isEqualTo(1);
  }

  @Test
  void anEndThatTheKernelToldOfIsReadBehindAShortReceive() {
    FakeStreamSocket socket = accept();
    socket.stage(bytes("last"));
    socket.peerFinishes();
    shard.turnUntilIdle();

    assertThat(text(handler.receivedBytes())).isEqualTo("last");
    assertThat(handler.calls()).containsExactly("opened", "peerFinished");
  }

  @Test
  void theEndIsNotToldBeforeWhatLiesBeforeItWasAskedFor() {
    handler.opened(connection -> {});
    FakeStreamSocket socket = accept();
    socket.receiveAtMost(3);
    for (int i = 0; i < 5; i++) {
      socket.stage(bytes("<" + i + ">"));
    }
    socket.peerFinishes();
    shard.turnUntilIdle();
    for (int i = 0; i < 5; i++) {
      assertThat(handler.calls()).containsExactly("opened");
      connection().demand(1);
      shard.turnUntilIdle();
    }
    connection().demand(1);
    shard.turnUntilIdle();

    assertThat(text(handler.receivedBytes())).isEqualTo("<0><1><2><3><4>");
    assertThat(handler.calls()).containsExactly("opened", "peerFinished");
  }

  @Test
  void aFailureBehindDataIsToldBehindTheData() {
    FakeStreamSocket socket = accept();
    socket.stage(bytes("last"));
    socket.receiveFails(IoResult.ECONNRESET);
    shard.turnUntilIdle();

    assertThat(text(handler.receivedBytes())).isEqualTo("last");
    assertThat(handler.reason()).isInstanceOf(CloseReason.PeerReset.class);
  }

  @Test
  void whatTheKernelReceivedByItselfWaitsForDemandAndTheEndWaitsBehindIt() {
    handler.opened(connection -> connection.demand(1));
    FakeStreamSocket socket = accept();
    Segment kernels = shard.pool().lease(100, "the kernel");
    shard
        .poller()
        .deliver(
            () -> {
              socket.receiveInto(kernels, bytes("one "));
              socket.receiveInto(kernels, bytes("two "));
              socket.receiveInto(kernels, bytes("three"));
            });
    socket.receiveEnds(0);
    shard.turnUntilIdle();
    kernels.release();
    assertThat(text(handler.receivedBytes())).isEqualTo("one ");

    connection().demand(1);
    shard.turnUntilIdle();
    assertThat(text(handler.receivedBytes())).isEqualTo("one two ");
    assertThat(handler.calls()).containsExactly("opened");
    connection().demand(10);
    shard.turnUntilIdle();

    assertThat(text(handler.receivedBytes())).isEqualTo("one two three");
    assertThat(handler.calls()).containsExactly("opened", "peerFinished");
  }

  @Test
  void aFailureOfTheKernelsReceiveIsToldAlsoWhereNobodyAsks() {
    handler.opened(connection -> {});
    FakeStreamSocket socket = accept();
    Segment kernels = shard.pool().lease(100, "the kernel");
    shard.poller().deliver(() -> socket.receiveInto(kernels, bytes("unheard")));
    socket.receiveEnds(IoResult.ECONNRESET);
    shard.turnUntilIdle();
    kernels.release();

    assertThat(handler.reason()).isInstanceOf(CloseReason.PeerReset.class);
    assertThat(shard.pool().leasedCount()).isZero();
  }

  @Test
  void whatTheKernelReceivedWhileThePoolIsEmptyIsOfferedAgainWhenItIsNot() {
    FakeStreamSocket socket = accept();
    Segment kernels = shard.pool().lease(100, "the kernel");
    List<Segment> kept = new ArrayList<>();
    for (Segment s = shard.pool().tryLease(1, "the test");
        s != null;
        s = shard.pool().tryLease(1, "the test")) {
      kept.add(s);
    }
    shard
        .poller()
        .deliver(
            () -> {
              socket.receiveInto(kernels, bytes("one "));
              socket.receiveInto(kernels, bytes("two "));
            });
    shard.turnUntilIdle();
    assertThat(handler.receivedBytes()).isEmpty();
    assertThat(socket.isReceiveWanted()).isFalse();

    kept.forEach(Segment::release);
    shard.turnUntilIdle();
    assertThat(text(handler.receivedBytes())).isEqualTo("one two ");
    assertThat(socket.isReceiveWanted()).isTrue();
    kernels.release();
  }

  @Test
  void whatWasReceivedButNeverAskedForIsReleasedWithTheConnection() {
    handler.opened(connection -> {});
    FakeStreamSocket socket = accept();
    Segment kernels = shard.pool().lease(100, "the kernel");
    shard.poller().deliver(() -> socket.receiveInto(kernels, bytes("unheard")));
    shard.turnUntilIdle();
    kernels.release();
    assertThat(shard.pool().leasedCount()).isEqualTo(1);

    connection().abort();
    shard.turnUntilIdle();

    assertThat(shard.pool().leasedCount()).isZero();
  }

  @Test
  void aStreamHoldsUpATaskAndOtherConnectionsByOneBoundAtMost() {
    FakeStreamSocket stream = accept();
    ScriptedHandler other = new ScriptedHandler();
    FakeStreamSocket quiet = watched(shard.accept(other));
    for (int i = 0; i < 100; i++) {
      stream.stage(new byte[LARGE_BYTES]);
    }
    List<Integer> readsBeforeTask = new ArrayList<>();
    stream.tellReadable(false);
    quiet.arrive(bytes("ping"));
    shard.loop().execute(() -> readsBeforeTask.add(stream.reads()));
    shard.turn();
    assertThat(text(other.receivedBytes())).isEqualTo("ping");

    while (stream.reads() < 100) {
      int before = stream.reads();
      shard.loop().execute(() -> readsBeforeTask.add(stream.reads() - before));
      shard.turn();
    }

    assertThat(readsBeforeTask).allMatch(reads -> reads * (long) LARGE_BYTES <= 1 << 20);
    assertThat(readsBeforeTask).hasSizeGreaterThanOrEqualTo(25);
    assertThat(shard.poller().waits()).isZero();
  }

  @Test
  void manySmallReceivesInARowAreBoundedToo() {
    FakeStreamSocket stream = accept();
    stream.receiveAtMost(5);
    for (int i = 0; i < 100; i++) {
      stream.stage(bytes("small"));
    }
    // Told of the end, so that a short receive does not end the row.
    stream.peerFinishes();
    List<Integer> reads = new ArrayList<>();
    shard.loop().execute(() -> reads.add(stream.reads()));
    shard.turn();

    assertThat(reads).allMatch(count -> count <= 16);
    shard.turnUntilIdle();
    assertThat(handler.calls()).containsExactly("opened", "peerFinished");
  }

  @Test
  void anEmptyPoolParksReadersWithoutSpinningAndAllGoOnWhenSegmentsComeHome() throws Exception {
    List<Segment> kept = new ArrayList<>();
    List<FakeStreamSocket> sockets = new ArrayList<>();
    List<ScriptedHandler> handlers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ScriptedHandler keeping = new ScriptedHandler().received((c, segment) -> kept.add(segment));
      handlers.add(keeping);
      sockets.add(watched(shard.accept(keeping)));
    }
    useUpThePool(kept, 2);
    for (FakeStreamSocket socket : sockets) {
      socket.stage(new byte[LARGE_BYTES]);
      socket.arrive(bytes("the last ten bytes"));
    }
    shard.turnUntilIdle();
    int waits = shard.poller().waits();
    long turns = shard.count(Counter.TURNS);
    shard.turn();
    shard.turn();
    assertThat(shard.poller().waits() - waits).isEqualTo(shard.count(Counter.TURNS) - turns);
    assertThat(shard.count(Counter.POOL_WAITS)).isPositive();
    assertThat(sockets).noneMatch(FakeStreamSocket::isClosed);

    // Half from elsewhere, half from here; the peers send nothing more.
    while (handlers.stream().anyMatch(h -> h.receivedBytes().length < LARGE_BYTES + 18)) {
      List<Segment> half = List.copyOf(kept.subList(0, (kept.size() + 1) / 2));
      kept.removeAll(half);
      Thread elsewhere = new Thread(() -> half.forEach(Segment::release));
      elsewhere.start();
      elsewhere.join();
      kept.forEach(Segment::release);
      kept.clear();
      shard.turnUntilIdle();
    }

    kept.forEach(Segment::release);
    assertThat(handlers)
        .allSatisfy(h -> assertThat(text(h.receivedBytes())).endsWith("the last ten bytes"));
  }

  @Test
  void aPoolWithNothingButSmallSegmentsLeftStillReads() {
    List<Segment> small = new ArrayList<>();
    for (Segment s = shard.pool().tryLease(256, "the test");
        s != null;
        s = shard.pool().tryLease(256, "the test")) {
      small.add(s);
    }
    for (int i = 0; i < 100; i++) {
      small.remove(small.size() - 1).release();
    }
    FakeStreamSocket socket = accept();
    socket.arrive(new byte[10_000]);
    socket.arrive(bytes("and more"));
    shard.turnUntilIdle();

    assertThat(handler.receivedBytes()).hasSize(10_008);
    assertThat(shard.poller().waits()).isPositive();
    small.forEach(Segment::release);
    shard.turnUntilIdle();
  }

  @Test
  void aParkedReaderWhoseConnectionEndsIsForgotten() {
    FakeStreamSocket socket = accept();
    List<Segment> kept = new ArrayList<>();
    useUpThePool(kept, 0);
    socket.arrive(bytes("unread"));
    shard.turnUntilIdle();
    connection().abort();
    shard.turnUntilIdle();
    kept.forEach(Segment::release);
    shard.turnUntilIdle();

    assertThat(handler.receivedBytes()).isEmpty();
    assertThat(handler.reason()).isEqualTo(new CloseReason.Aborted());
  }

  @Test
  void whereNoEventTellsOfAResetBehindThePeersEndItIsLookedFor() {
    shard.poller().reportsNothingWhileParked();
    FakeStreamSocket socket = accept();
    socket.peerFinishes();
    shard.turnUntilIdle();
    for (int i = 0; i < 10; i++) {
      shard.after(Duration.ofMillis(201));
    }
    assertThat(handler.calls()).containsExactly("opened", "peerFinished");

    socket.breaksUnseen(IoResult.ECONNRESET);
    shard.after(Duration.ofMillis(201));

    assertThat(handler.reason()).isInstanceOf(CloseReason.PeerReset.class);
    shard.after(Duration.ofSeconds(1));
    assertThat(shard.timersLeftAfterLong()).isZero();
  }

  /** Leases all but so many segments of the largest size. */
  private void useUpThePool(List<Segment> into, int butSegments) {
    for (Segment s = shard.pool().tryLease(LARGE_BYTES, "the test");
        s != null;
        s = shard.pool().tryLease(LARGE_BYTES, "the test")) {
      into.add(s);
    }
    for (int i = 0; i < butSegments; i++) {
      into.remove(into.size() - 1).release();
    }
  }
}
