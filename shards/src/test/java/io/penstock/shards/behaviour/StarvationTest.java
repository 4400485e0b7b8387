package io.penstock.shards.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.memory.Segment;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.testing.CpuUse;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.Pattern;
import io.penstock.shards.testing.RawPeer;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.TestNet;
import io.penstock.shards.testing.Transport;
import io.penstock.shards.testing.Wait;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/** What happens when the segments of a shard are used up. */
class StarvationTest {
  private static final int BUDGET_BYTES = 512 << 10;

  // B66
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void readersThatFoundThePoolEmptyGoOnWhenSegmentsComeHome(TestNet net) throws Exception {
    starveAndFeed(net, 1 << 20, 1 << 16);
  }

  // B66
  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void readersOfSmallMessagesGoOnWhenSegmentsComeHome(TestNet net) throws Exception {
    starveAndFeed(net, 1 << 18, 100);
  }

  private static void starveAndFeed(TestNet net, int bytesEach, int messageBytes) throws Exception {
    net.start(options -> options.withSegmentBudgetBytes(BUDGET_BYTES));
    AtomicBoolean keeping = new AtomicBoolean(true);
    Queue<Segment> kept = new ConcurrentLinkedQueue<>();
    List<RecordingHandler> handlers = new ArrayList<>();
    List<Thread> senders = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Pattern pattern = new Pattern(i);
      RecordingHandler handler =
          RecordingHandler.reading()
              .expecting(pattern)
              .whenReceived(
                  (connection, segment) -> {
                    if (keeping.get()) {
                      kept.add(segment);
                    } else {
                      segment.release();
                    }
                  });
      handlers.add(handler);
      RawPeer peer = net.accepted(handler);
      Thread sender = new Thread(() -> sendAll(peer, pattern, bytesEach, messageBytes));
      senders.add(sender);
      sender.start();
    }

    Wait.until("the pool is empty", () -> net.shard().counters().get(Counter.POOL_WAITS) > 0);
    CpuUse.requireIdle(Duration.ofMillis(200));
    long received = handlers.stream().mapToLong(RecordingHandler::receivedBytes).sum();
    assertThat(received).isLessThan(4L * bytesEach);
    Wait.whileTrue(
        Duration.ofMillis(50),
        "nothing more is read",
        () -> handlers.stream().mapToLong(RecordingHandler::receivedBytes).sum() == received);
    assertThat(handlers).noneMatch(RecordingHandler::isClosed);

    keeping.set(false);
    kept.forEach(Segment::release);
    for (int i = 0; i < 4; i++) {
      senders.get(i).join();
      handlers.get(i).awaitReceived(bytesEach);
      handlers.get(i).requireExactly(bytesEach);
      assertThat(handlers.get(i).isClosed()).isFalse();
    }
    net.awaitSegmentsOut(0);
  }

  private static void sendAll(RawPeer peer, Pattern pattern, int totalBytes, int messageBytes) {
    try {
      for (int sent = 0; sent < totalBytes; sent += messageBytes) {
        peer.send(pattern, sent, Math.min(messageBytes, totalBytes - sent));
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
