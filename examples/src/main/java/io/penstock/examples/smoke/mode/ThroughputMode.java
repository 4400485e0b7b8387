package io.penstock.examples.smoke.mode;

import io.penstock.examples.smoke.count.Count;
import io.penstock.examples.smoke.count.Lanes;
import io.penstock.examples.smoke.options.SmokeOptions;
import io.penstock.examples.smoke.options.Status;
import io.penstock.examples.smoke.peer.EchoServer;
import io.penstock.examples.smoke.peer.Pattern;
import io.penstock.examples.smoke.peer.Traffic;
import io.penstock.examples.smoke.peer.WindowClient;
import io.penstock.examples.smoke.report.Figures;
import io.penstock.examples.smoke.report.Lines;
import io.penstock.examples.smoke.report.Sample;
import io.penstock.examples.smoke.report.Summary;
import io.penstock.examples.smoke.report.Totals;
import io.penstock.examples.smoke.wire.Remote;
import io.penstock.shards.core.Endpoint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Keeps messages going and reports each second. */
public final class ThroughputMode implements Mode {
  private static final long OPEN_MILLIS = 10_000;
  private static final long CLOSE_MILLIS = 10_000;
  private static final long WATCH_MILLIS = 100;

  @Override
  public Outcome run(Run run) throws IOException {
    Endpoint target = run.options().endpoint();
    if (run.options().server()) {
      target = run.listen(() -> new EchoServer(run.options().poke()));
    }
    return run.options().clients() == 0 ? serve(run) : new Measuring(run).measure(target);
  }

  /** Nothing is measured here: the clients are elsewhere. */
  private static Outcome serve(Run run) {
    Sample start = Sample.of(run.leg());
    int seconds = run.options().seconds();
    long forNanos = seconds == 0 ? Long.MAX_VALUE / 2 : seconds * run.options().secondNanos();
    run.stop().awaitUntil(System.nanoTime() + forNanos);
    Sample end = Sample.of(run.leg());
    long served = run.leg().lanes().sum(Count.SERVERS_OPENED);
    run.out().println(Lines.done(start, end, served));
    run.out().println(Lines.received(end));
    return new Outcome(Status.OK, Totals.asMap(start, end, null, served, 0));
  }

  /** One run with clients. */
  private static final class Measuring {
    private final Run run;
    private final SmokeOptions options;
    private final Lanes lanes;
    // Added to on the lanes as clients open, read here once all have.
    private final List<WindowClient> clients = Collections.synchronizedList(new ArrayList<>());
    private final Watchdog watchdog = new Watchdog();
    private Sample start;
    private Sample warm;
    private List<Long> warmBytes;
    private String wedge;

    Measuring(Run run) {
      this.run = run;
      this.options = run.options();
      this.lanes = run.leg().lanes();
    }

    Outcome measure(Endpoint target) throws IOException {
      Traffic traffic =
          new Traffic(
              Pattern.constant(),
              options.sizeBytes(),
              options.window(),
              Long.MAX_VALUE,
              options.resetClose());
      start = Sample.of(run.leg());
      List<Remote> remotes = run.connectInTurn(target, options.clients(), () -> client(traffic));
      run.out().println("opened " + remotes.size() + " client connection(s) to " + target);
      // A connect is known here before the client that was made for it has begun.
      run.stop().awaitThat(() -> clients.size() == options.clients(), OPEN_MILLIS);
      start = Sample.of(run.leg());
      beginToScore();
      reportUntilDone();
      Sample end = Sample.of(run.leg());
      Figures figures = figures(end);
      long cutOff = lanes.sum(Count.CLIENTS_CUT_OFF);
      remotes.forEach(remote -> close(remote, wedge != null));
      boolean closed = StopSignal.awaitAnyway(() -> lanes.liveClients() == 0, CLOSE_MILLIS);
      print(end, figures, cutOff, closed);
      Map<String, Object> map = Totals.asMap(start, end, figures, clients.size(), cutOff);
      map.put("wedge", wedge);
      return new Outcome(status(cutOff), map);
    }

    private WindowClient client(Traffic traffic) {
      WindowClient client = new WindowClient(traffic, () -> {});
      clients.add(client);
      return client;
    }

    private void close(Remote remote, boolean now) {
      if (now || options.resetClose()) {
        remote.reset();
      } else {
        remote.close();
      }
    }

    private void beginToScore() {
      lanes.takeTimes();
      warm = Sample.of(run.leg());
      warmBytes = returnedBytes();
    }

    private void reportUntilDone() {
      Sample before = start;
      for (int second = 1; ; second++) {
        if (waitForSecond(start.nanos() + second * options.secondNanos())) {
          return;
        }
        Sample now = Sample.of(run.leg());
        run.out()
            .println(
                Lines.second(
                    start, before, now, options.sizeBytes(), clients.size(), lanes.live()));
        before = now;
        if (second == options.seconds() || lanes.liveClients() == 0) {
          return;
        }
        if (second == options.warmupSeconds()) {
          beginToScore();
        }
      }
    }

    /** True if the run is over before that second is. */
    private boolean waitForSecond(long deadlineNanos) {
      while (options.isPipeline()) {
        long nowNanos = System.nanoTime();
        wedge = watchdog.check(nowNanos, run.leg());
        if (wedge != null) {
          return true;
        }
        long wakeNanos = nowNanos + WATCH_MILLIS * 1_000_000;
        if (deadlineNanos - wakeNanos <= 0) {
          break;
        }
        if (run.stop().awaitUntil(wakeNanos)) {
          return true;
        }
      }
      return run.stop().awaitUntil(deadlineNanos);
    }

    private Figures figures(Sample end) {
      List<Long> endBytes = returnedBytes();
      List<Double> perConnection = new ArrayList<>();
      for (int i = 0; i < endBytes.size(); i++) {
        perConnection.add((endBytes.get(i) - warmBytes.get(i)) / (double) options.sizeBytes());
      }
      double inFlight =
          options.isPipeline()
              ? Double.POSITIVE_INFINITY
              : (double) options.clients() * options.window();
      return new Figures(
          warm, end, options.sizeBytes(), inFlight, perConnection, lanes.takeTimes());
    }

    private List<Long> returnedBytes() {
      synchronized (clients) {
        return clients.stream().map(WindowClient::returnedBytes).toList();
      }
    }

    private void print(Sample end, Figures figures, long cutOff, boolean closed) {
      run.out().println(Lines.done(start, end, clients.size()));
      run.out().println(Lines.received(end));
      String lane = run.leg().effective().workers() > 0 ? "worker" : "shard";
      double warmupSeconds = (warm.nanos() - start.nanos()) / 1e9;
      Summary.lines(figures, warmupSeconds, lane).forEach(run.out()::println);
      if (cutOff > 0) {
        run.out().println(cutOff + " of " + clients.size() + " client(s) were cut off => FAIL");
      }
      if (!closed) {
        run.out()
            .println(
                lanes.liveClients() + " client(s) did not close within " + CLOSE_MILLIS + " ms");
      }
      if (wedge != null) {
        run.out().println(wedge);
      }
    }

    private int status(long cutOff) {
      if (wedge != null) {
        return Status.WEDGED;
      }
      return cutOff > 0 ? Status.FAILED : Status.OK;
    }
  }
}
