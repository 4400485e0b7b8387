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
import java.util.concurrent.locks.LockSupport;

/** Opens clients, lets each send its quota and end, waits until all are gone, and repeats. */
public final class DrainMode implements Mode {
  private static final long STUCK_MILLIS = 10_000;
  private static final long DESCRIPTOR_MILLIS = 2_000;
  private static final long DESCRIPTOR_POLL_NANOS = 1_000_000;
  private static final int LOOPS_A_LINE = 50;

  @Override
  public Outcome run(Run run) throws IOException {
    SmokeOptions options = run.options();
    Lanes lanes = run.leg().lanes();
    Endpoint target = EndingClients.target(run);
    Traffic traffic = EndingClients.traffic(options);
    run.out()
        .println(
            Lines.format(
                "soak: %s loop(s) x %d clients x %d msgs; live sockets return to 0 each loop",
                options.loops() == 0 ? "endless" : options.loops(),
                options.clients(),
                options.closeAfter()));
    OptionalInt descriptors = Descriptors.open();
    boolean drained = true;
    int loop = 0;
    while (drained && !run.stop().isStopped() && (options.loops() == 0 || loop < options.loops())) {
      loop++;
      drained = drain(run, target, traffic, loop);
      boolean last = loop == options.loops();
      if (drained && (loop == 1 || loop % LOOPS_A_LINE == 0 || last)) {
        run.out()
            .println(
                Lines.format(
                    "soak: loop %d ok - total sockets churned=%,d live=0", loop, lanes.closed()));
      }
    }
    OptionalInt left = drained ? descriptorsAtLast(descriptors) : Descriptors.open();
    boolean leak = left.orElse(0) > descriptors.orElse(0);
    // Only an interruption ends loops without end.
    boolean all = options.loops() == 0 ? loop > 0 : loop == options.loops();
    boolean passed = drained && all && !leak;
    run.out()
        .println(
            Lines.format(
                "soak: done - %,d sockets churned, final live=%d, open-fds=%s (%s at the start),"
                    + " round-trips=%,d => %s",
                lanes.closed(),
                lanes.live(),
                Descriptors.text(left),
                Descriptors.text(descriptors),
                lanes.sum(Count.RETURNED_BYTES),
                run.verdict(passed)));
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("check", "close-after");
    map.put("passed", passed);
    map.put("loops", loop);
    map.put("socketsChurned", lanes.closed());
    map.put("live", lanes.live());
    map.put("roundTripBytes", lanes.sum(Count.RETURNED_BYTES));
    return new Outcome(passed ? Status.OK : Status.FAILED, map);
  }

  /** One loop; false if it left something, or a client did not get its quota. */
  private static boolean drain(Run run, Endpoint target, Traffic traffic, int loop)
      throws IOException {
    Lanes lanes = run.leg().lanes();
    int clients = run.options().clients();
    long closedBefore = lanes.closed();
    long expected = (run.options().server() ? 2L : 1L) * clients;
    run.connectAtOnce(target, clients, () -> new WindowClient(traffic, () -> {}));
    boolean gone =
        Progress.awaitEnd(
            run.stop(),
            () -> lanes.closed() - closedBefore >= expected && lanes.live() == 0,
            () -> lanes.sum(Count.RECEIVED_BYTES) + lanes.closed(),
            STUCK_MILLIS);
    long cutOff = lanes.sum(Count.CLIENTS_CUT_OFF);
    long closed = lanes.closed() - closedBefore;
    if (gone && cutOff == 0 && closed == expected) {
      return true;
    }
    if (run.stop().isStopped()) {
      return false;
    }
    run.out()
        .println(
            Lines.format(
                "soak: loop %d FAIL - live=%d closed-this-loop=%d (expect %d) cut-off=%d",
                loop, lanes.live(), closed, expected, cutOff));
    return false;
  }

  /** A selector lets go of descriptors a moment after their connections are over. */
  static OptionalInt descriptorsAtLast(OptionalInt before) throws IOException {
    long deadlineNanos = StopSignal.deadlineIn(DESCRIPTOR_MILLIS);
    OptionalInt now = Descriptors.open();
    while (now.orElse(0) > before.orElse(0) && System.nanoTime() - deadlineNanos < 0) {
      LockSupport.parkNanos(DESCRIPTOR_POLL_NANOS);
      now = Descriptors.open();
    }
    return now;
  }
}
