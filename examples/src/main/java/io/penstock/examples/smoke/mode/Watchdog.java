package io.penstock.examples.smoke.mode;

import io.penstock.examples.smoke.count.Count;
import io.penstock.examples.smoke.count.Lanes;
import io.penstock.examples.smoke.report.Lines;
import io.penstock.examples.smoke.wire.Leg;
import java.util.concurrent.TimeUnit;

/** Notices that nothing moves any more although every client has something to send. */
final class Watchdog {
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(2);

  private long lastBytes = -1;
  private long movedAtNanos;

  /** What is stuck, in one line; or null while something moves. */
  String check(long nowNanos, Leg leg) {
    Lanes lanes = leg.lanes();
    long bytes = lanes.sum(Count.RECEIVED_BYTES);
    long clients = lanes.liveClients();
    long fullClients = lanes.sum(Count.CLIENTS_FILLED) - lanes.sum(Count.CLIENTS_FREED);
    if (bytes != lastBytes || clients == 0 || fullClients < clients) {
      lastBytes = bytes;
      movedAtNanos = nowNanos;
      return null;
    }
    if (nowNanos - movedAtNanos < LIMIT_NANOS) {
      return null;
    }
    long servers = lanes.liveServers();
    long fullServers = lanes.sum(Count.SERVERS_FILLED) - lanes.sum(Count.SERVERS_FREED);
    return Lines.format(
        "wedge: no byte moved for %.1fs while all %d client(s) are full; %s; %,d segments out;"
            + " nothing bounds what is in flight, so that both directions filled up before either"
            + " was read (give --window N)",
        (nowNanos - movedAtNanos) / 1e9,
        clients,
        servers == 0
            ? "the server is another process"
            : fullServers + " of " + servers + " server end(s) are full, too",
        leg.segmentsOut());
  }
}
