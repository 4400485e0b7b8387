package io.penstock.examples.smoke.mode;

import io.penstock.examples.smoke.count.Count;
import io.penstock.examples.smoke.count.Lanes;
import io.penstock.examples.smoke.options.SmokeOptions;
import io.penstock.examples.smoke.options.Status;
import io.penstock.examples.smoke.peer.CheckingClient;
import io.penstock.examples.smoke.peer.CheckingServer;
import io.penstock.examples.smoke.peer.Pattern;
import io.penstock.examples.smoke.peer.Traffic;
import io.penstock.examples.smoke.report.Lines;
import io.penstock.shards.core.Endpoint;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Sends a known pattern, and compares each byte where it arrives and where it comes back. */
public final class VerifyEchoMode implements Mode {
  /** How long nothing may move before the check counts as failed. */
  private static final long STUCK_MILLIS = 10_000;

  @Override
  public Outcome run(Run run) throws IOException {
    SmokeOptions options = run.options();
    int connections = Math.max(1, options.clients());
    Pattern pattern = Pattern.checked();
    Traffic traffic =
        new Traffic(
            pattern,
            options.sizeBytes(),
            options.window(),
            options.verifyEchoBytes(),
            options.resetClose());
    Endpoint target = run.listen(() -> new CheckingServer(pattern, options.poke()));
    long expected = connections * options.verifyEchoBytes();
    run.out()
        .println(
            Lines.format(
                "verify-echo: backend=%s total=%d chunk=%d window=%d connections=%d",
                run.leg().effective().backend(),
                options.verifyEchoBytes(),
                options.sizeBytes(),
                options.window(),
                connections));
    run.connectAtOnce(target, connections, () -> new CheckingClient(traffic, () -> {}));
    Lanes lanes = run.leg().lanes();
    boolean ended =
        Progress.awaitEnd(
            run.stop(),
            // A connect is told of before its client counts as open: all have to have closed.
            () -> lanes.sum(Count.CLIENTS_CLOSED) >= connections && lanes.live() == 0,
            () -> lanes.sum(Count.RECEIVED_BYTES),
            STUCK_MILLIS);
    return outcome(run, expected, ended);
  }

  private static Outcome outcome(Run run, long expected, boolean ended) {
    Lanes lanes = run.leg().lanes();
    long returned = lanes.sum(Count.RETURNED_BYTES);
    long clientMismatches = lanes.sum(Count.CLIENT_MISMATCHES);
    long serverMismatches = lanes.sum(Count.SERVER_MISMATCHES);
    boolean passed =
        ended
            && returned == expected
            && clientMismatches == 0
            && serverMismatches == 0
            && lanes.sum(Count.CLIENTS_CUT_OFF) == 0;
    run.out()
        .println(
            Lines.format(
                "verify-echo: roundtripped=%d/%d clientMismatch=%d serverMismatch=%d => %s",
                returned, expected, clientMismatches, serverMismatches, run.verdict(passed)));
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("check", "verify-echo");
    map.put("passed", passed);
    map.put("returnedBytes", returned);
    map.put("expectedBytes", expected);
    map.put("clientMismatches", clientMismatches);
    map.put("serverMismatches", serverMismatches);
    return new Outcome(passed ? Status.OK : Status.FAILED, map);
  }
}
