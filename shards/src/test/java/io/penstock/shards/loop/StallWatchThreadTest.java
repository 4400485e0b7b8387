package io.penstock.shards.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.penstock.shards.testing.CapturedLog;
import io.penstock.shards.testing.ResourceCheck;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The detector with its own thread and real time. */
@ExtendWith(ResourceCheck.class)
class StallWatchThreadTest {

  private static final long UNEXPECTED_SECONDS = 10;

  private final TurnMonitor monitor = new TurnMonitor(0, Duration.ofMillis(2));
  private final LinkedBlockingQueue<StallReport> reports = new LinkedBlockingQueue<>();

  @Test
  void aThreadThatHangsIsReportedWhileItHangs() throws Exception {
    CountDownLatch hang = new CountDownLatch(1);
    Thread shard = new Thread(() -> turnThatWaitsFor(hang), "hanging");
    try (StallDetector detector = detector(System::nanoTime, reports::add)) {
      detector.start();
      shard.start();

      StallReport report = reports.poll(UNEXPECTED_SECONDS, TimeUnit.SECONDS);

      assertThat(report).isNotNull();
      assertThat(report.ongoing()).isTrue();
      assertThat(report.stack())
          .anyMatch(frame -> frame.getMethodName().equals("turnThatWaitsFor"));
    } finally {
      hang.countDown();
      shard.join();
    }
  }

  @Test
  void theWatchIsADaemonThatEndsWithClose() {
    StallDetector detector = detector(System::nanoTime, reports::add);
    detector.start();
    assertThat(watchThreads()).singleElement().matches(Thread::isDaemon);

    detector.close();
    assertThat(watchThreads()).isEmpty();
    detector.close();
  }

  @Test
  void itStartsOnceAndNotAfterClose() {
    StallDetector detector = detector(System::nanoTime, reports::add);
    detector.start();
    try {
      assertThatIllegalStateException()
          .isThrownBy(detector::start)
          .withMessage("the stall watch was started already");
    } finally {
      detector.close();
    }
    assertThatIllegalStateException()
        .isThrownBy(detector::start)
        .withMessage("the stall watch was closed already");
  }

  @Test
  void closeWithoutStartDoesNothing() {
    detector(System::nanoTime, reports::add).close();
    assertThat(watchThreads()).isEmpty();
  }

  @Test
  void aListenerMayCloseTheWatchThatCallsIt() throws Exception {
    CountDownLatch hang = new CountDownLatch(1);
    Thread shard = new Thread(() -> turnThatWaitsFor(hang), "hanging");
    StallDetector[] detector = new StallDetector[1];
    detector[0] = detector(System::nanoTime, report -> detector[0].close());
    detector[0].start();
    shard.start();
    try {
      await().atMost(Duration.ofSeconds(UNEXPECTED_SECONDS)).until(() -> watchThreads().isEmpty());
    } finally {
      hang.countDown();
      shard.join();
    }
  }

  @Test
  void anInterruptNeitherEndsTheWatchNorMakesItSpin() {
    AtomicInteger looks = new AtomicInteger();
    TurnMonitor slow = new TurnMonitor(0, Duration.ofHours(1));
    LongSupplier countingClock =
        () -> {
          looks.incrementAndGet();
          return System.nanoTime();
        };
    try (StallDetector detector =
        new StallDetector(List.of(slow), Duration.ofSeconds(1), countingClock, reports::add)) {
      detector.start();
      Thread watch = watchThreads().get(0);
      await().until(() -> looks.get() > 0 && watch.getState() == Thread.State.TIMED_WAITING);
      int looksBefore = looks.get();

      watch.interrupt();

      await()
          .until(() -> looks.get() > looksBefore && watch.getState() == Thread.State.TIMED_WAITING);
      assertThat(watch.isInterrupted()).isFalse();
      // One for the interrupt, one for a permit that class loading may have left.
      assertThat(looks.get()).isLessThanOrEqualTo(looksBefore + 2);
    }
  }

  @Test
  void aClockThatFailsOnceIsLoggedAndTheWatchGoesOn() {
    AtomicInteger looks = new AtomicInteger();
    LongSupplier failingClock =
        () -> {
          if (looks.incrementAndGet() == 1) {
            throw new IllegalStateException("no time");
          }
          return System.nanoTime();
        };
    try (CapturedLog log = CapturedLog.of(StallDetector.class);
        StallDetector detector =
            new StallDetector(List.of(monitor), Duration.ZERO, failingClock, reports::add)) {
      detector.start();
      await().until(() -> looks.get() > 1);

      assertThat(log.events())
          .singleElement()
          .extracting(ILoggingEvent::getLevel)
          .isEqualTo(Level.ERROR);
    }
  }

  @Test
  void theDefaultListenerWarnsWithSummaryAndStack() {
    StallReport report =
        new StallReport(
            4,
            Phase.TASKS,
            Optional.of("mailbox of user 7"),
            123_400_000,
            50_000_000,
            false,
            List.of(new StackTraceElement("a.B", "c", "B.java", 12)),
            3);

    try (CapturedLog log = CapturedLog.of(StallDetector.class)) {
      StallListener.logging().stalled(report);

      assertThat(log.events()).hasSize(1);
      assertThat(log.events().get(0).getLevel()).isEqualTo(Level.WARN);
      assertThat(log.events().get(0).getFormattedMessage().lines())
          .containsExactly(
              "shard 4: a turn took 123.4 ms, budget 50.0 ms, in phase TASKS, running mailbox of"
                  + " user 7; 3 reports before it were withheld",
              "\tat a.B.c(B.java:12)");
    }
  }

  @Test
  void theSummarySaysWhenATurnGoesOnAndWhenNobodyLookedInTime() {
    StallReport ongoing =
        new StallReport(
            1,
            Phase.POLL,
            Optional.empty(),
            2_000_000_000,
            50_000_000,
            true,
            List.of(new StackTraceElement("a.B", "c", "B.java", 12)),
            0);
    assertThat(ongoing.summary())
        .isEqualTo("shard 1: a turn has been running for 2000.0 ms, budget 50.0 ms, in phase POLL");

    StallReport missed =
        new StallReport(
            1, Phase.POLL, Optional.empty(), 60_000_000, 50_000_000, false, List.of(), 0);
    assertThat(missed.summary())
        .isEqualTo(
            "shard 1: a turn took 60.0 ms, budget 50.0 ms, in phase POLL, over before it could be"
                + " looked at");
  }

  private StallDetector detector(LongSupplier clock, StallListener listener) {
    return new StallDetector(List.of(monitor), Duration.ofMillis(5), clock, listener);
  }

  private void turnThatWaitsFor(CountDownLatch hang) {
    monitor.attach();
    monitor.turnStarted(System.nanoTime());
    monitor.phase(Phase.TASKS);
    try {
      hang.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    monitor.turnEnded(System.nanoTime());
    monitor.detach();
  }

  private static List<Thread> watchThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(StallDetector.THREAD_NAME))
        .toList();
  }
}
