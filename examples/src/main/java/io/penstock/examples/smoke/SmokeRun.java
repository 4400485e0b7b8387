package io.penstock.examples.smoke;

import io.penstock.examples.smoke.count.Lanes;
import io.penstock.examples.smoke.managed.ManagedLeg;
import io.penstock.examples.smoke.mode.ChurnMode;
import io.penstock.examples.smoke.mode.DrainMode;
import io.penstock.examples.smoke.mode.Mode;
import io.penstock.examples.smoke.mode.Outcome;
import io.penstock.examples.smoke.mode.Run;
import io.penstock.examples.smoke.mode.StopSignal;
import io.penstock.examples.smoke.mode.ThroughputMode;
import io.penstock.examples.smoke.mode.VerifyEchoMode;
import io.penstock.examples.smoke.mode.VerifyMode;
import io.penstock.examples.smoke.options.SmokeOptions;
import io.penstock.examples.smoke.options.Status;
import io.penstock.examples.smoke.report.Descriptors;
import io.penstock.examples.smoke.report.Ending;
import io.penstock.examples.smoke.report.JsonReport;
import io.penstock.examples.smoke.report.Lines;
import io.penstock.examples.smoke.sharded.ShardedLeg;
import io.penstock.examples.smoke.wire.Effective;
import io.penstock.examples.smoke.wire.Leg;
import io.penstock.shards.ShardGroupOptions;
import io.penstock.shards.ShardStartException;
import io.penstock.shards.pinning.PinningMode;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.OptionalInt;

/** One run: what carries the connections, what they do, and what is left at the end. */
final class SmokeRun {
  /** Connections per shard in the original. */
  private static final int DEFAULT_SOCKETS = 4096;

  /** The kernel's own rule is twice the submissions; this is for many connections and few. */
  private static final int COMPLETIONS = 1 << 14;

  private final SmokeOptions options;
  private final PrintWriter out;
  private final PrintWriter err;
  private final StopSignal stop = new StopSignal();

  SmokeRun(SmokeOptions options, PrintWriter out, PrintWriter err) {
    this.options = options;
    this.out = out;
    this.err = err;
  }

  /** Runs to the end; returns the status for the process. */
  int run() {
    StopOnSignal onSignal = new StopOnSignal(stop);
    try {
      Descriptors.openWhatTheJdkKeeps();
      OptionalInt before = Descriptors.open();
      Leg leg = start();
      Effective effective = leg.effective();
      Outcome outcome;
      try {
        Lines.banner(options, effective).forEach(out::println);
        outcome = mode().run(new Run(options, leg, out, stop));
      } finally {
        leg.close();
      }
      return report(leg, effective, outcome, before);
    } catch (IOException | ShardStartException e) {
      err.println("smoke: " + e.getMessage());
      return Status.FAILED;
    } finally {
      onSignal.ended();
    }
  }

  private int report(Leg leg, Effective effective, Outcome outcome, OptionalInt before)
      throws IOException {
    Lanes lanes = leg.lanes();
    Ending ending =
        new Ending(
            lanes.liveClients(),
            lanes.liveServers(),
            leg.segmentsOut(),
            before,
            Descriptors.open());
    out.println(ending.line());
    int status =
        outcome.status() == Status.OK && !ending.isClean() ? Status.FAILED : outcome.status();
    if (options.json()) {
      Map<String, Object> figures = outcome.figures();
      out.println(JsonReport.line(options, effective, figures, ending, status));
    }
    return status;
  }

  private Mode mode() {
    if (options.verifyBytes() > 0) {
      return new VerifyMode();
    }
    if (options.verifyEchoBytes() > 0) {
      return new VerifyEchoMode();
    }
    if (options.churnSeconds() > 0) {
      return new ChurnMode();
    }
    return options.closeAfter() > 0 ? new DrainMode() : new ThroughputMode();
  }

  private Leg start() throws IOException {
    int sockets = options.sockets().orElse(Math.max(DEFAULT_SOCKETS, 2 * options.clients()));
    if (options.leg().managed()) {
      return ManagedLeg.start(sockets, options.poke());
    }
    ShardGroupOptions group =
        ShardGroupOptions.defaults()
            .withName("penstock-smoke")
            .withShards(options.shards())
            .withPinning(options.pin() ? PinningMode.ON : PinningMode.OFF)
            .withSpin(Duration.of(options.spinMicros(), ChronoUnit.MICROS))
            .withMaxConnectionsPerShard(sockets)
            .withCompletionEntries(Math.max(COMPLETIONS, 2 * options.entries()))
            .withRingEntries(options.entries());
    if (options.leg().backend().isPresent()) {
      group = group.withBackend(options.leg().backend().get());
    }
    boolean bothEnds = options.server() && options.clients() > 0 && options.churnSeconds() == 0;
    return ShardedLeg.start(group, options.poke(), bothEnds);
  }
}
