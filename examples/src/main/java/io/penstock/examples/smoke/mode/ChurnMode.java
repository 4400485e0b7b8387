package io.penstock.examples.smoke.mode;

import io.penstock.examples.smoke.count.Count;
import io.penstock.examples.smoke.count.Lanes;
import io.penstock.examples.smoke.options.SmokeOptions;
import io.penstock.examples.smoke.options.Status;
import io.penstock.examples.smoke.peer.Traffic;
import io.penstock.examples.smoke.peer.WindowClient;
import io.penstock.examples.smoke.report.Descriptors;
import io.penstock.examples.smoke.report.Lines;
import io.penstock.shards.core.Endpoint;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/**
 * Replaces each client as soon as it has ended, so that new connections meet those that are still
 * being taken down. With a small limit the servers refuse some; what counts is that all are gone at
 * the end.
 */
public final class ChurnMode implements Mode {
  private static final long DRAIN_MILLIS = 30_000;
  private static final long FAILED_WAIT_MILLIS = 1;
  private static final long LOOK_MILLIS = 50;

  @Override
  public Outcome run(Run run) throws IOException {
    return new Churning(run).churn();
  }

  /** One run. */
  private static final class Churning {
    private final Run run;
    private final SmokeOptions options;
    private final Lanes lanes;
    private final Endpoint target;
    private final Traffic traffic;
    // One permit for each client that may be opened now; given back on the lanes.
    private final Semaphore free;
    // Added to where connects fail, which is on the lanes or here.
    private final LongAdder failed = new LongAdder();
    // The first failure of a connect, for the reader of the last line.
    private final AtomicReference<Throwable> firstFailure = new AtomicReference<>();
    private long tried;

    Churning(Run run) throws IOException {
      this.run = run;
      this.options = run.options();
      this.lanes = run.leg().lanes();
      this.target = EndingClients.target(run);
      this.traffic = EndingClients.traffic(options);
      this.free = new Semaphore(options.clients());
    }

    Outcome churn() throws IOException {
      int seconds =
          options.seconds() == 0
              ? options.churnSeconds()
              : Math.min(options.seconds(), options.churnSeconds());
      run.out()
          .println(
              Lines.format(
                  "churn: overlapping soak for %ds, target ~%d live, %d msg(s)/conn,"
                      + " sockets/shard=%s shards=%d",
                  seconds,
                  options.clients(),
                  options.closeAfter(),
                  options.sockets().isPresent() ? options.sockets().getAsInt() : "enough",
                  run.leg().effective().shards()));
      OptionalInt descriptors = Descriptors.open();
      long startNanos = System.nanoTime();
      connectUntil(startNanos, startNanos + seconds * options.secondNanos());
      double elapsed = (System.nanoTime() - startNanos) / 1e9;
      long connected = lanes.sum(Count.CLIENTS_OPENED);
      boolean drained = drain();
      OptionalInt left = drained ? DrainMode.descriptorsAtLast(descriptors) : Descriptors.open();
      boolean leak = left.orElse(0) > descriptors.orElse(0);
      boolean passed = drained && !leak && connected > 0;
      run.out()
          .println(
              Lines.format(
                  "churn: done - connected=%,d in %.1fs = %,.0f conn/s (~%,.0f sockets/s"
                      + " open+close) closed=%,d live=%d (client=%d server=%d) cut-off=%,d"
                      + " failed=%,d open-fds=%s (%s at the start) round-trips=%,d => %s",
                  connected,
                  elapsed,
                  connected / elapsed,
                  2 * connected / elapsed,
                  lanes.closed(),
                  lanes.live(),
                  lanes.liveClients(),
                  lanes.liveServers(),
                  lanes.sum(Count.CLIENTS_CUT_OFF),
                  failed.sum(),
                  Descriptors.text(left),
                  Descriptors.text(descriptors),
                  lanes.sum(Count.RETURNED_BYTES),
                  drained || run.stop().isStopped() ? run.verdict(passed) : "FAIL (wedged)"));
      if (firstFailure.get() != null) {
        run.out().println("churn: the first connect that failed: " + firstFailure.get());
      }
      return new Outcome(passed ? Status.OK : Status.FAILED, figures(passed, connected, elapsed));
    }

    private void connectUntil(long startNanos, long endNanos) {
      long nextReportNanos = startNanos + options.secondNanos();
      while (!run.stop().isStopped()) {
        long nowNanos = System.nanoTime();
        if (nowNanos - nextReportNanos >= 0) {
          nextReportNanos += options.secondNanos();
          report((nowNanos - startNanos) / 1e9);
        }
        if (nowNanos - endNanos >= 0) {
          return;
        }
        connectOne(Math.min(endNanos, nextReportNanos) - nowNanos);
      }
    }

    private void connectOne(long patienceNanos) {
      try {
        long look = Math.min(patienceNanos, TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS));
        if (!free.tryAcquire(look, TimeUnit.NANOSECONDS)) {
          return;
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        run.stop().stop();
        return;
      }
      tried++;
      long failedBefore = failed.sum();
      run.leg()
          .connect(target, () -> new WindowClient(traffic, free::release))
          .whenComplete(
              (remote, failure) -> {
                if (failure != null) {
                  failed.increment();
                  firstFailure.compareAndSet(null, failure);
                  free.release();
                }
              });
      if (failed.sum() > failedBefore) {
        // No port or no descriptor left for the moment.
        run.stop().awaitUntil(StopSignal.deadlineIn(FAILED_WAIT_MILLIS));
      }
    }

    private void report(double seconds) {
      run.out()
          .println(
              Lines.format(
                  "churn: t=%4.0fs connected=%,d live=%d closed=%,d",
                  seconds, lanes.sum(Count.CLIENTS_OPENED), lanes.live(), lanes.closed()));
    }

    /** All that was opened is to be seen closed, and each permit back. */
    private boolean drain() {
      return Progress.awaitEnd(run.stop(), this::isDrained, lanes::closed, DRAIN_MILLIS);
    }

    private boolean isDrained() {
      return free.availablePermits() == options.clients() && lanes.live() == 0;
    }

    private Map<String, Object> figures(boolean passed, long connected, double elapsed) {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("check", "churn");
      map.put("passed", passed);
      map.put("seconds", elapsed);
      map.put("tried", tried);
      map.put("connected", connected);
      map.put("connectsPerSecond", connected / elapsed);
      map.put("failed", failed.sum());
      map.put("cutOff", lanes.sum(Count.CLIENTS_CUT_OFF));
      map.put("closed", lanes.closed());
      map.put("live", lanes.live());
      map.put("roundTripBytes", lanes.sum(Count.RETURNED_BYTES));
      return map;
    }
  }
}
