package io.penstock.shards.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The inbox between threads: nothing is lost, not even at the end. */
class InboxTest {

  @Test
  void theBellRingsOnlyForASleeperAndOnce() {
    AtomicInteger rung = new AtomicInteger();
    Inbox inbox = new Inbox(rung::incrementAndGet);
    Runnable task = () -> {};

    inbox.add(task);
    assertThat(inbox.trySleep()).isFalse();
    assertThat(inbox.drain(Runnable::run, 10)).isEqualTo(1);
    assertThat(inbox.trySleep()).isTrue();
    assertThat(rung).hasValue(0);

    inbox.add(task);
    inbox.add(task);
    inbox.ring();

    assertThat(rung).hasValue(1);
    assertThat(inbox.awake()).isTrue();
    assertThat(inbox.awake()).isFalse();
    assertThat(inbox.drain(Runnable::run, 1)).isEqualTo(1);
    assertThat(inbox.isEmpty()).isFalse();
  }

  @Test
  void aClosedInboxHandsOverWhatItTookAndRefusesTheRest() {
    List<Runnable> handed = new ArrayList<>();
    AtomicInteger rung = new AtomicInteger();
    Inbox inbox = new Inbox(rung::incrementAndGet);
    Runnable task = () -> {};
    inbox.add(task);
    inbox.add(task);

    inbox.close(handed::add);

    assertThat(handed).containsExactly(task, task);
    assertThatThrownBy(() -> inbox.add(task)).isInstanceOf(RejectedExecutionException.class);
    inbox.ring();
    assertThat(rung).hasValue(0);
  }

  @Test
  void eachTaskRunsOrIsRefusedHoweverItMeetsTheEnd() throws InterruptedException {
    closeWhileThreadsAdd(300, 4);
  }

  @Test
  @Tag("slow")
  void eachTaskRunsOrIsRefusedHoweverItMeetsTheEndForLong() throws InterruptedException {
    closeWhileThreadsAdd(20_000, 8);
  }

  @Test
  void noWakeUpIsLostBetweenLookingAndSleeping() throws InterruptedException {
    sendToASleeper(20_000);
  }

  @Test
  @Tag("slow")
  void noWakeUpIsLostBetweenLookingAndSleepingForLong() throws InterruptedException {
    sendToASleeper(3_000_000);
  }

  /** The shard drains, sleeps and at some moment closes; the adders go on until refused. */
  private static void closeWhileThreadsAdd(int rounds, int threadCount)
      throws InterruptedException {
    for (int round = 0; round < rounds; round++) {
      Semaphore bell = new Semaphore(0);
      Inbox inbox = new Inbox(bell::release);
      AtomicLong ran = new AtomicLong();
      AtomicLong accepted = new AtomicLong();
      CountDownLatch begin = new CountDownLatch(threadCount);
      Thread[] adders = new Thread[threadCount];
      for (int i = 0; i < threadCount; i++) {
        adders[i] =
            new Thread(
                () -> {
                  begin.countDown();
                  try {
                    while (true) {
                      inbox.add(ran::incrementAndGet);
                      accepted.incrementAndGet();
                    }
                  } catch (RejectedExecutionException end) {
                    // As it must be.
                  }
                });
        adders[i].start();
      }
      begin.await();
      for (int turn = 0; turn < round % 50; turn++) {
        inbox.drain(Runnable::run, 16);
        if (inbox.trySleep()) {
          bell.tryAcquire(1, TimeUnit.MILLISECONDS);
        }
        inbox.awake();
      }
      inbox.close(Runnable::run);
      for (Thread adder : adders) {
        adder.join(10_000);
        assertThat(adder.isAlive()).as("an adder hangs in round %d", round).isFalse();
      }
      assertThat(ran).as("tasks run in round %d", round).hasValue(accepted.get());
    }
  }

  /** One message at a time, each to a shard that has just gone to sleep or is about to. */
  private static void sendToASleeper(int messages) throws InterruptedException {
    Semaphore bell = new Semaphore(0);
    Inbox inbox = new Inbox(bell::release);
    Semaphore answers = new Semaphore(0);
    boolean[] ending = new boolean[1];
    Thread shard =
        new Thread(
            () -> {
              while (!ending[0]) {
                inbox.drain(Runnable::run, 16);
                if (!ending[0] && inbox.trySleep()) {
                  bell.acquireUninterruptibly();
                }
                inbox.awake();
              }
            });
    shard.start();

    for (int i = 0; i < messages; i++) {
      inbox.add(answers::release);
      assertThat(answers.tryAcquire(10, TimeUnit.SECONDS)).as("answer to message %d", i).isTrue();
    }

    inbox.add(() -> ending[0] = true);
    shard.join(10_000);
    assertThat(shard.isAlive()).isFalse();
  }
}
