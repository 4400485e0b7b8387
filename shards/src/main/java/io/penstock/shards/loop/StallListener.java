package io.penstock.shards.loop;

import org.slf4j.LoggerFactory;

/**
 * Told about stalls, on the thread of the {@link StallDetector}.
 *
 * <p>While it runs no shard is watched, so it should be quick, and it must not wait for a shard,
 * which may be the one that hangs. What it throws is logged and does not end the watch.
 */
@FunctionalInterface
public interface StallListener {

  void stalled(StallReport report);

  /** Logs each report, with the stack, as a warning. */
  static StallListener logging() {
    return report -> LoggerFactory.getLogger(StallDetector.class).warn("{}", report.describe());
  }
}
