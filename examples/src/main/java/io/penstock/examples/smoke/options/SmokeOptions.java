package io.penstock.examples.smoke.options;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.pinning.CpuSet;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What the switches amount to. Immutable, free of contradictions.
 *
 * @param server whether an echo server runs
 * @param clients how many clients connect
 * @param seconds after how many reports the run ends; 0 for never
 * @param warmupSeconds how many of them the summary leaves out
 * @param secondMillis how long one of these seconds lasts
 * @param endpoint where the server listens and the clients connect to
 * @param shards as asked for
 * @param pin as asked for
 * @param cpus what the whole process is restricted to, or empty
 * @param entries submission entries of a shard's io_uring
 * @param sockets connections that a shard may have, or empty for as many as are needed
 * @param spinMicros how long a shard looks for work before it parks
 * @param sizeBytes of a message
 * @param window messages on their way per connection; {@link #UNBOUNDED} for any number
 * @param poke whether the server replies from another thread
 * @param adopt whether the listening socket is made outside and handed over
 * @param verifyBytes payload of the check of sends out of band; 0 for none
 * @param verifyEchoBytes bytes to send both ways and check; 0 for none
 * @param closeAfter messages after which a client ends; 0 for never
 * @param loops how often that is repeated; 0 for ever
 * @param churnSeconds how long ended clients are replaced by new ones; 0 for not at all
 * @param resetClose whether clients end with a reset
 * @param json whether the last line is a JSON object
 */
public record SmokeOptions(
    LegKind leg,
    boolean server,
    int clients,
    int seconds,
    int warmupSeconds,
    int secondMillis,
    Endpoint endpoint,
    int shards,
    boolean pin,
    Optional<CpuSet> cpus,
    int entries,
    OptionalInt sockets,
    long spinMicros,
    int sizeBytes,
    long window,
    boolean poke,
    boolean adopt,
    int verifyBytes,
    long verifyEchoBytes,
    int closeAfter,
    int loops,
    int churnSeconds,
    boolean resetClose,
    boolean json) {

  /** A window without bound. */
  public static final long UNBOUNDED = Long.MAX_VALUE;

  public boolean isPipeline() {
    return window == UNBOUNDED;
  }

  /** How the banner names the window. */
  public String mode() {
    if (window == 1) {
      return "ping/pong";
    }
    return isPipeline() ? "pipeline(unbounded)" : "pipeline(window=" + window + ")";
  }

  /** How long a second lasts for reports and for the length of a run. */
  public long secondNanos() {
    return secondMillis * 1_000_000L;
  }

  public String transport() {
    return endpoint.isUnix() ? "uds" : "tcp";
  }
}
