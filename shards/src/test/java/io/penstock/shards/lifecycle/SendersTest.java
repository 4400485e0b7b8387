package io.penstock.shards.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.Shard;
import io.penstock.shards.ShardGroup;
import io.penstock.shards.core.Backend;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.Wait;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;

/** Threads that send to a shard while it ends. */
class SendersTest {
  private static final int SENDERS = 4;
  private static final int TASKS_BEFORE_STOP = 50;

  // B37
  @EachBackend
  void sendersAreRefusedAtMostAndAllThatWasAcceptedRuns(Backend backend) throws Exception {
    sendWhileItStops(backend, 70);
  }

  @Tag("slow")
  @EachBackend
  void sendersAreRefusedAtMostInManyRounds(Backend backend) throws Exception {
    sendWhileItStops(backend, 2_000);
  }

  private static void sendWhileItStops(Backend backend, int rounds) throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    AtomicBoolean over = new AtomicBoolean();
    try {
      Future<Long> strayBytes = threads.submit(() -> strayBytesInRecycledDescriptors(over));
      for (int i = 0; i < rounds; i++) {
        round(backend, threads);
      }
      over.set(true);
      assertThat(strayBytes.get(10, TimeUnit.SECONDS)).isZero();
    } finally {
      over.set(true);
      threads.shutdownNow();
      assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static void round(Backend backend, ExecutorService threads) throws Exception {
    AtomicLong ran = new AtomicLong();
    List<Future<Long>> senders = new ArrayList<>();
    try (ShardGroup group = ShardGroup.start(Groups.small(backend, 1))) {
      Shard shard = group.shard(0);
      for (int i = 0; i < SENDERS; i++) {
        senders.add(threads.submit(() -> sendUntilRefused(shard, ran)));
      }
      Wait.until("tasks run", () -> ran.get() >= TASKS_BEFORE_STOP);
      group.stop(Duration.ZERO);
    }
    long accepted = 0;
    for (Future<Long> sender : senders) {
      accepted += sender.get(10, TimeUnit.SECONDS);
    }
    assertThat(ran.get()).isEqualTo(accepted);
  }

  private static long sendUntilRefused(Shard shard, AtomicLong ran) {
    for (long accepted = 0; ; accepted++) {
      try {
        shard.execute(ran::incrementAndGet);
      } catch (RejectedExecutionException e) {
        return accepted;
      }
      if (accepted % 16 == 0) {
        LockSupport.parkNanos(1_000); // Lets the shard sleep, so that it has to be woken.
      }
    }
  }

  /** A late wake-up would write into whatever has the number of its descriptor by then. */
  private static long strayBytesInRecycledDescriptors(AtomicBoolean over) throws Exception {
    long bytes = 0;
    while (!over.get()) {
      Pipe pipe = Pipe.open();
      try (Pipe.SourceChannel source = pipe.source();
          Pipe.SinkChannel sink = pipe.sink()) {
        assertThat(sink.isOpen()).isTrue();
        source.configureBlocking(false);
        LockSupport.parkNanos(1_000);
        bytes += source.read(ByteBuffer.allocate(64));
      }
    }
    return bytes;
  }
}
