package io.penstock.shards.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.core.Backend;
import io.penstock.shards.loop.LoopOptions;
import io.penstock.shards.loop.ShardLoop;
import io.penstock.shards.loop.Timer;
import io.penstock.shards.loop.TimerQueue;
import io.penstock.shards.loop.TurnMonitor;
import io.penstock.shards.memory.SegmentPool;
import io.penstock.shards.metrics.ShardCounters;
import io.penstock.shards.poller.Poller;
import io.penstock.shards.poller.epoll.EpollPoller;
import io.penstock.shards.poller.nio.NioPoller;
import io.penstock.shards.poller.uring.UringPoller;
import io.penstock.shards.testing.EachBackend;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** Very short timers, one after another, on a loop that has nothing else to do. */
class ShortTimerTest {
  private static final long[] DELAYS_NANOS = {0, 1, 1_000, 999_000};

  private int fired;

  // B38
  @EachBackend
  void eachFires(Backend backend) throws Exception {
    fireOneAfterAnother(backend, 1_000);
  }

  @Tag("slow")
  @EachBackend
  void eachOfManyFires(Backend backend) throws Exception {
    fireOneAfterAnother(backend, 100_000);
  }

  private void fireOneAfterAnother(Backend backend, int count) throws Exception {
    List<Throwable> errors = new ArrayList<>();
    Poller poller = open(backend);
    SegmentPool pool =
        new SegmentPool(poller.memoryAddresses(), 1 << 20, System::nanoTime, () -> {});
    ShardLoop loop =
        new ShardLoop(
            poller,
            pool,
            LoopOptions.defaults(),
            System::nanoTime,
            new ShardCounters(),
            new TurnMonitor(0, Duration.ofMinutes(1)),
            errors::add);
    loop.begin();
    try {
      Timer timer = new Timer(() -> fired++);
      for (int i = 1; i <= count; i++) {
        long deadlineNanos =
            TimerQueue.deadlineAfter(loop.freshNanos(), DELAYS_NANOS[i % DELAYS_NANOS.length]);
        loop.timers().schedule(timer, deadlineNanos);
        while (fired < i) {
          loop.runTurn();
        }
        assertThat(System.nanoTime()).isGreaterThanOrEqualTo(deadlineNanos);
      }
    } finally {
      loop.end();
    }

    assertThat(errors).isEmpty();
    assertThat(fired).isEqualTo(count);
  }

  private static Poller open(Backend backend) throws IOException {
    return switch (backend) {
      case IO_URING -> new UringPoller(64, 1024);
      case EPOLL -> new EpollPoller();
      case NIO -> new NioPoller();
    };
  }
}
