package io.penstock.shards.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.shards.metrics.Counter;
import io.penstock.shards.testing.AllocatedBytes;
import io.penstock.shards.testing.FakePoller;
import io.penstock.shards.testing.ManualClock;
import io.penstock.shards.testing.SteppedShard;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** What a turn does and in which order, stepped by hand. */
class ShardLoopTest {
  private static final long BUDGET_NANOS = 500_000;

  private final SteppedShard shard = new SteppedShard();
  private final ShardLoop loop = shard.loop();
  private final FakePoller poller = shard.poller();
  private final ManualClock clock = shard.clock();
  private final List<String> done = new ArrayList<>();

  @Test
  void whatIsToRunBehindOthersWaitsForWhatTheySentBefore() throws Exception {
    List<String> ran = new ArrayList<>();
    shard
        .loop()
        .execute(
            () -> {
              shard.loop().executeBehindOthers(() -> ran.add("behind"));
              shard.loop().execute(() -> ran.add("at once"));
            });
    Thread other = new Thread(() -> shard.loop().execute(() -> ran.add("from elsewhere")));
    other.start();
    other.join();
    shard.turnUntilIdle();

    assertThat(ran).containsExactly("from elsewhere", "at once", "behind");
  }

  @Test
  void theStepsOfATurnComeInTheirOrder() throws InterruptedException {
    onAnotherThread(() -> loop.execute(() -> done.add("task from elsewhere")));
    loop.flushLater(() -> done.add("flush"));
    loop.timers().schedule(new Timer(() -> done.add("timer")), loop.nowNanos());
    loop.execute(() -> done.add("task"));
    loop.resumeLater(() -> done.add("resumed reader"));
    poller.deliver(() -> done.add("event"));

    shard.turn();

    assertThat(done)
        .containsExactly(
            "event", "resumed reader", "task", "task from elsewhere", "timer", "flush");
  }

  @Test
  void whatOneStepAsksOfALaterOneIsDoneInTheSameTurn() {
    poller.deliver(
        () ->
            loop.execute(
                () -> {
                  done.add("task");
                  loop.timers().schedule(new Timer(() -> done.add("timer")), loop.nowNanos());
                  loop.flushLater(() -> done.add("flush"));
                }));

    shard.turn();

    assertThat(done).containsExactly("task", "timer", "flush");
  }

  @Test
  void whatAFlushOrAResumedReaderAsksForAgainWaitsForTheNextTurn() {
    Flushable[] flush = new Flushable[1];
    flush[0] =
        () -> {
          done.add("flush");
          loop.flushLater(flush[0]);
        };
    Runnable[] reader = new Runnable[1];
    reader[0] =
        () -> {
          done.add("reader");
          loop.resumeLater(reader[0]);
        };
    loop.flushLater(flush[0]);
    loop.resumeLater(reader[0]);

    shard.turn();
    assertThat(done).containsExactly("reader", "flush");
    shard.turn();

    assertThat(done).containsExactly("reader", "flush", "reader", "flush");
    assertThat(poller.waits()).isZero();
  }

  @Test
  void moreFlushesAndReadersThanEverBeforeAllRunInTheirOrder() {
    for (int i = 0; i < 1_000; i++) {
      String number = Integer.toString(i);
      loop.flushLater(() -> done.add("flush " + number));
      loop.resumeLater(() -> done.add("reader " + number));
    }

    shard.turn();

    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      expected.add("reader " + i);
    }
    for (int i = 0; i < 1_000; i++) {
      expected.add("flush " + i);
    }
    assertThat(done).isEqualTo(expected);
  }

  @Test
  void aFloodOfTasksHoldsUpIoByOneBudgetAtMost() {
    long taskNanos = 7_000;
    Runnable[] flood = new Runnable[1];
    flood[0] =
        () -> {
          clock.advanceNanos(taskNanos);
          loop.execute(flood[0]);
        };
    loop.execute(flood[0]);
    List<Long> gaps = new ArrayList<>();
    long[] lastPoll = {clock.getAsLong()};

    for (int i = 0; i < 50; i++) {
      poller.deliver(
          () -> {
            gaps.add(clock.getAsLong() - lastPoll[0]);
            lastPoll[0] = clock.getAsLong();
          });
      shard.turn();
    }

    assertThat(gaps).hasSize(50).allMatch(gap -> gap < BUDGET_NANOS + taskNanos);
    // Nor are the tasks held up by polls that find nothing.
    assertThat(gaps.subList(1, 50)).allMatch(gap -> gap >= BUDGET_NANOS);
    assertThat(poller.waits()).isZero();
  }

  @Test
  void aFloodFromOtherThreadsIsTakenInPortionsAndInOrder() throws InterruptedException {
    int portion = 16;
    SteppedShard small = new SteppedShard(new LoopOptions(0, BUDGET_NANOS, portion), 1 << 20);
    List<Integer> ran = new ArrayList<>();
    onAnotherThread(
        () -> {
          for (int i = 0; i < 100; i++) {
            int number = i;
            small.loop().execute(() -> ran.add(number));
          }
        });

    small.turn();
    assertThat(ran).hasSize(portion);
    small.turnUntilIdle();

    assertThat(ran).hasSize(100).isSorted();
    assertThat(small.count(Counter.INBOX_TASKS)).isEqualTo(100);
    assertThat(small.poller().waits()).isEqualTo(1);
  }

  @Test
  void whatATaskThrowsIsHandedOnAndEndsNothing() {
    loop.execute(
        () -> {
          throw new IllegalStateException("task");
        });
    loop.execute(() -> done.add("next task"));
    loop.resumeLater(
        () -> {
          throw new IllegalStateException("reader");
        });
    loop.resumeLater(() -> done.add("next reader"));
    loop.flushLater(
        () -> {
          throw new IllegalStateException("flush");
        });
    loop.flushLater(() -> done.add("next flush"));
    loop.timers()
        .schedule(
            new Timer(
                () -> {
                  throw new IllegalStateException("timer");
                }),
            loop.nowNanos());

    shard.turn();
    shard.turn();

    assertThat(done).containsExactly("next reader", "next task", "next flush");
    assertThat(shard.errors())
        .extracting(Throwable::getMessage)
        .containsExactly("reader", "task", "timer", "flush");
  }

  @Test
  void anInterruptOfATaskReachesNeitherWritesNorTheKernel() {
    List<Boolean> interrupted = new ArrayList<>();
    loop.execute(Thread.currentThread()::interrupt);
    loop.flushLater(() -> interrupted.add(Thread.currentThread().isInterrupted()));
    loop.flushLater(Thread.currentThread()::interrupt);
    shard.turn();
    poller.deliver(() -> interrupted.add(Thread.currentThread().isInterrupted()));
    shard.turn();

    assertThat(interrupted).containsExactly(false, false);
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void aPollerThatFailsEndsTheTurnWithItsFailure() {
    poller.failWith(new IOException("no ring any more"));

    assertThatThrownBy(loop::runTurn)
        .isInstanceOf(IOException.class)
        .hasMessage("no ring any more");
  }

  @Test
  void atTheEndWhatWasAcceptedRunsAndAllElseIsRefused() throws InterruptedException {
    onAnotherThread(() -> loop.execute(() -> done.add("from elsewhere")));
    loop.execute(() -> done.add("own"));
    loop.execute(() -> loop.execute(() -> done.add("never")));
    loop.later(() -> loop.later(() -> done.add("the runtime's own last word")));

    loop.end();

    assertThat(done).containsExactly("own", "from elsewhere", "the runtime's own last word");
    assertThat(shard.errors()).hasOnlyElementsOfType(RejectedExecutionException.class).hasSize(1);
    assertThat(poller.isClosed()).isTrue();
    assertThatThrownBy(() -> loop.execute(() -> done.add("never")))
        .isInstanceOf(RejectedExecutionException.class)
        .hasMessage("the shard has ended");
    onAnotherThread(
        () ->
            assertThatThrownBy(() -> loop.execute(() -> done.add("never")))
                .isInstanceOf(RejectedExecutionException.class));
    assertThat(done).hasSize(3);
  }

  @Test
  void aStallIsCountedOnceWhicheverStepItWasIn() {
    loop.flushLater(() -> clock.advance(Duration.ofMillis(60)));
    shard.turn();
    loop.execute(() -> done.add("short"));
    shard.turn();
    assertThat(shard.count(Counter.STALLS)).isEqualTo(1);

    loop.execute(() -> clock.advance(Duration.ofMillis(60)));
    shard.turn();
    shard.turn();
    poller.deliver(() -> clock.advance(Duration.ofMillis(60)));
    shard.turn();
    shard.turn();

    assertThat(shard.count(Counter.STALLS)).isEqualTo(3);
  }

  @Test
  void turnsAllocateNothing() {
    Runnable task = () -> {};
    Flushable flush = () -> {};
    Runnable reader = () -> {};
    Timer timer = new Timer(() -> {});
    Runnable turn =
        () -> {
          loop.execute(task);
          loop.flushLater(flush);
          loop.resumeLater(reader);
          loop.timers().schedule(timer, loop.nowNanos());
          clock.advanceNanos(1);
          shard.turn();
          shard.turn();
        };

    assertThat(AllocatedBytes.whileRepeating(50_000, turn)).isLessThan(20_000);
    assertThat(shard.count(Counter.PARKS)).isGreaterThanOrEqualTo(100_000);
  }

  private static void onAnotherThread(Runnable action) throws InterruptedException {
    Throwable[] thrown = new Throwable[1];
    Thread thread = new Thread(action, "elsewhere");
    thread.setUncaughtExceptionHandler((who, failure) -> thrown[0] = failure);
    thread.start();
    thread.join();
    assertThat(thrown[0]).isNull();
  }
}
