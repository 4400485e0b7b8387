package io.penstock.shards.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.loop.LoopOptions;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.poller.IoResult;
import io.penstock.shards.testing.FakeStreamSocket;
import io.penstock.shards.testing.ScriptedHandler;
import io.penstock.shards.testing.SteppedShard;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Report;
import net.jqwik.api.Reporting;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.Tuple;

/**
 * Whatever the application, the kernel and the peer do in which order: bytes arrive whole and in
 * order, each write is answered once, memory comes back, the end is told once. On failure jqwik
 * prints the seed and the shrunk steps.
 */
class ConnectionPropertyTest {

  private enum Kind {
    WRITE,
    WRITE_NOTHING,
    KERNEL_TAKES,
    KERNEL_IS_FULL,
    KERNEL_TAKES_LATER,
    KERNEL_FAILS,
    ROOM,
    PENDING_ENDS,
    PENDING_FAILS,
    ARRIVE,
    ARRIVE_IN_KERNELS_MEMORY,
    PEER_FINISHES,
    PEER_RESETS,
    DEMAND,
    DEMAND_ALL,
    PAUSE,
    FINISH,
    CLOSE,
    ABORT,
    TURN,
    TIME_PASSES
  }

  /** Of writes of up to 40 bytes. */
  private static final int COPY_BELOW_BYTES = 20;

  private record Step(Kind kind, int size) {}

  @Property(tries = 400, shrinking = ShrinkingMode.BOUNDED, edgeCases = EdgeCasesMode.NONE)
  @Report(Reporting.FALSIFIED)
  void bytesStayWholeAndInOrderAndEverythingIsAnsweredOnce(
      @ForAll("steps") List<Step> steps, @ForAll boolean copying) {
    play(steps, copying);
  }

  @Property(tries = 30_000, shrinking = ShrinkingMode.BOUNDED, edgeCases = EdgeCasesMode.NONE)
  @Report(Reporting.FALSIFIED)
  @Tag("slow")
  void soTheyDoForLong(@ForAll("steps") List<Step> steps, @ForAll boolean copying) {
    play(steps, copying);
  }

  private static void play(List<Step> steps, boolean copying) {
    Run run = new Run(copying ? COPY_BELOW_BYTES : 0);
    for (Step step : steps) {
      run.apply(step);
      run.check();
    }
    run.end();
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Kind> kinds =
        Arbitraries.frequency(
            Tuple.of(12, Kind.WRITE),
            Tuple.of(2, Kind.WRITE_NOTHING),
            Tuple.of(6, Kind.KERNEL_TAKES),
            Tuple.of(3, Kind.KERNEL_IS_FULL),
            Tuple.of(6, Kind.KERNEL_TAKES_LATER),
            Tuple.of(1, Kind.KERNEL_FAILS),
            Tuple.of(5, Kind.ROOM),
            Tuple.of(8, Kind.PENDING_ENDS),
            Tuple.of(1, Kind.PENDING_FAILS),
            Tuple.of(8, Kind.ARRIVE),
            Tuple.of(3, Kind.ARRIVE_IN_KERNELS_MEMORY),
            Tuple.of(2, Kind.PEER_FINISHES),
            Tuple.of(1, Kind.PEER_RESETS),
            Tuple.of(6, Kind.DEMAND),
            Tuple.of(2, Kind.DEMAND_ALL),
            Tuple.of(2, Kind.PAUSE),
            Tuple.of(2, Kind.FINISH),
            Tuple.of(2, Kind.CLOSE),
            Tuple.of(1, Kind.ABORT),
            Tuple.of(20, Kind.TURN),
            Tuple.of(2, Kind.TIME_PASSES));
    return Combinators.combine(kinds, Arbitraries.integers().between(1, 40))
        .as(Step::new)
        .list()
        .ofMinSize(5)
        .ofMaxSize(120);
  }

  private static final class Run {
    private final SteppedShard shard;
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final ByteArrayOutputStream sentByPeer = new ByteArrayOutputStream();
    private final List<Integer> ackedInOrder = new ArrayList<>();
    private final List<Integer> failedInOrder = new ArrayList<>();
    private final List<Integer> endsOfWrites = new ArrayList<>();
    private final ScriptedHandler handler = new ScriptedHandler();
    private final FakeStreamSocket socket;
    private final Connection connection;
    private boolean peerEnded;
    private boolean ownEnd;
    private long allowed;
    private int delivered;

    Run(int copyBelowBytes) {
      shard = new SteppedShard(LoopOptions.defaults(), SteppedShard.POOL_BYTES, copyBelowBytes);
      handler
          .opened(opened -> {})
          .received(
              (from, segment) -> {
                delivered++;
                segment.release();
              });
      ConnectionOptions options =
          ConnectionOptions.defaults()
              .withWatermarks(40, 200)
              .withLinger(Duration.ofMillis(100), 100);
      socket = shard.accept(ListenOptions.defaults().withConnection(options), handler);
      connection = handler.connection();
    }

    void apply(Step step) {
      switch (step.kind()) {
        case WRITE -> write(step.size());
        case WRITE_NOTHING -> write(0);
        case KERNEL_TAKES -> socket.nextWrite(step.size());
        case KERNEL_IS_FULL -> socket.nextWrite(IoResult.WOULD_BLOCK);
        case KERNEL_TAKES_LATER -> socket.nextWrite(IoResult.PENDING);
        case KERNEL_FAILS -> socket.nextWrite(IoResult.EPIPE);
        case ROOM -> socket.becomeWritable();
        case PENDING_ENDS -> endPending(step.size());
        case PENDING_FAILS -> {
          if (socket.inFlightBytes() > 0) {
            socket.completeWrite(IoResult.ECONNRESET);
            shard.turn();
          }
        }
        case ARRIVE -> arrive(step.size(), false);
        case ARRIVE_IN_KERNELS_MEMORY -> arrive(step.size(), true);
        case PEER_FINISHES -> {
          if (!peerEnded) {
            peerEnded = true;
            socket.peerFinishes();
          }
        }
        case PEER_RESETS -> {
          if (!peerEnded) {
            peerEnded = true;
            socket.receiveFails(IoResult.ECONNRESET);
          }
        }
        case DEMAND -> {
          allowed += step.size();
          connection.demand(step.size());
        }
        case DEMAND_ALL -> {
          allowed = Long.MAX_VALUE / 2;
          connection.demandUnbounded();
        }
        case PAUSE -> {
          allowed = delivered;
          connection.pause();
        }
        case FINISH -> connection.finish();
        case CLOSE -> connection.close();
        case ABORT -> {
          ownEnd = true;
          connection.abort();
        }
        case TURN -> shard.turn();
        case TIME_PASSES -> shard.clock().advance(Duration.ofMillis(step.size()));
        default -> throw new AssertionError(step);
      }
    }

    private void write(int lengthBytes) {
      int number = endsOfWrites.size();
      Segment segment = shard.pool().lease(lengthBytes, "the test");
      byte[] bytes = new byte[lengthBytes];
      for (int i = 0; i < lengthBytes; i++) {
        bytes[i] = (byte) (written.size() + i);
      }
      segment.append(bytes, 0, lengthBytes);
      boolean taken =
          connection.tryWrite(
              segment,
              new WriteAck() {
                @Override
                public void onWritten() {
                  ackedInOrder.add(number);
                }

                @Override
                public void onFailed(CloseReason reason) {
                  failedInOrder.add(number);
                }
              });
      if (taken) {
        written.writeBytes(bytes);
        endsOfWrites.add(written.size());
      } else {
        segment.release();
      }
    }

    private void endPending(int size) {
      long inFlight = socket.inFlightBytes();
      if (inFlight > 0) {
        socket.completeWrite((int) Math.min(size, inFlight));
        shard.turn();
      }
    }

    /** What the kernel receives by itself comes before anything that is still in the socket. */
    private void arrive(int lengthBytes, boolean inKernelsMemory) {
      if (peerEnded || socket.isClosed()) {
        return;
      }
      byte[] bytes = new byte[lengthBytes];
      Arrays.fill(bytes, (byte) sentByPeer.size());
      if (!inKernelsMemory) {
        sentByPeer.writeBytes(bytes);
        socket.arrive(bytes);
      } else if (socket.isDrained()) {
        sentByPeer.writeBytes(bytes);
        Segment kernels = shard.pool().lease(lengthBytes, "the kernel");
        shard
            .poller()
            .deliver(
                () -> {
                  if (!socket.isClosed()) {
                    socket.receiveInto(kernels, bytes);
                  }
                });
        shard.turn();
        kernels.release();
      }
    }

    void check() {
      assertThat(socket.violations()).isEmpty();
      assertThat(shard.errors()).isEmpty();
      assertThat((long) delivered).isLessThanOrEqualTo(allowed);
      int got = socket.peerGot().length;
      assertThat(socket.peerGot()).isEqualTo(Arrays.copyOf(written.toByteArray(), got));
      byte[] received = handler.receivedBytes();
      assertThat(received).isEqualTo(Arrays.copyOf(sentByPeer.toByteArray(), received.length));
      for (int i = 0; i < ackedInOrder.size(); i++) {
        assertThat(ackedInOrder.get(i)).isEqualTo(i);
        assertThat(endsOfWrites.get(i)).isLessThanOrEqualTo(got);
      }
      for (int i = 0; i < failedInOrder.size(); i++) {
        assertThat(failedInOrder.get(i)).isEqualTo(ackedInOrder.size() + i);
      }
      if (handler.calls().contains("peerFinished")) {
        assertThat(received).hasSameSizeAs(sentByPeer.toByteArray());
      }
    }

    /** The kernel takes all, the application asks for all and closes, the peer ends. */
    void end() {
      socket.takeAllFromNowOn();
      if (connection.state() != ConnectionState.CLOSED) {
        connection.demandUnbounded();
        allowed = Long.MAX_VALUE / 2;
      }
      connection.close();
      socket.becomeWritable();
      for (int i = 0; i < 3; i++) {
        long inFlight = socket.inFlightBytes();
        if (inFlight > 0) {
          socket.completeWrite((int) inFlight);
        }
        shard.turnUntilIdle();
      }
      shard.after(Duration.ofMillis(200));
      check();
      assertThat(handler.calls()).endsWith("closed");
      assertThat(handler.calls()).filteredOn("closed"::equals).hasSize(1);
      assertThat(handler.calls()).filteredOn("peerFinished"::equals).hasSizeLessThan(2);
      assertThat(ackedInOrder.size() + failedInOrder.size()).isEqualTo(endsOfWrites.size());
      if (handler.reason().isOrderly()) {
        assertThat(socket.peerGot()).hasSize(written.size());
        assertThat(failedInOrder).isEmpty();
        assertThat(socket.isReset()).isFalse();
      } else {
        assertThat(socket.isReset()).isTrue();
      }
      assertThat(ownEnd && handler.reason() instanceof CloseReason.Failed).isFalse();
      assertThat(shard.net().openCount()).isZero();
      shard.net().close();
      assertThat(shard.pool().leasedCount()).isZero();
      assertThat(shard.timersLeftAfterLong()).isZero();
    }
  }
}
