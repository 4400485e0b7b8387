package io.penstock.shards.net;

import java.time.Duration;
import java.util.Objects;

/**
 * Bounds of one connection. Immutable.
 *
 * @param highWatermarkBytes queued output from which writes are refused
 * @param lowWatermarkBytes queued output at which they are taken again
 * @param idleTimeout ends a connection on which nothing moved for so long; zero for never
 * @param closeTimeout ends a closed connection whose peer took nothing of what is still queued for
 *     so long; zero for never
 * @param lingerTimeout how long a closed connection waits for the peer's end, so that its last
 *     bytes are not reset away
 * @param lingerBytes how much of the peer's input is discarded meanwhile
 */
public record ConnectionOptions(
    int highWatermarkBytes,
    int lowWatermarkBytes,
    Duration idleTimeout,
    Duration closeTimeout,
    Duration lingerTimeout,
    int lingerBytes) {

  private static final ConnectionOptions DEFAULTS =
      new ConnectionOptions(
          1 << 20, 1 << 18, Duration.ZERO, Duration.ofSeconds(30), Duration.ofSeconds(2), 1 << 22);

  public ConnectionOptions {
    Objects.requireNonNull(idleTimeout, "idleTimeout");
    Objects.requireNonNull(closeTimeout, "closeTimeout");
    Objects.requireNonNull(lingerTimeout, "lingerTimeout");
    if (lowWatermarkBytes < 0
        || highWatermarkBytes <= 0
        || lowWatermarkBytes >= highWatermarkBytes) {
      throw new IllegalArgumentException(
          "watermarks must satisfy 0 <= low < high: low "
              + lowWatermarkBytes
              + ", high "
              + highWatermarkBytes);
    }
    requireNotNegative(idleTimeout, "idleTimeout");
    requireNotNegative(closeTimeout, "closeTimeout");
    requireNotNegative(lingerTimeout, "lingerTimeout");
    if (lingerBytes < 0) {
      throw new IllegalArgumentException("lingerBytes must not be negative: " + lingerBytes);
    }
  }

  /** 1 MiB and 256 KiB, no idle timeout, 30 s to close, linger for 2 s or 4 MiB. */
  public static ConnectionOptions defaults() {
    return DEFAULTS;
  }

  public ConnectionOptions withWatermarks(int lowBytes, int highBytes) {
    return new ConnectionOptions(
        highBytes, lowBytes, idleTimeout, closeTimeout, lingerTimeout, lingerBytes);
  }

  public ConnectionOptions withIdleTimeout(Duration timeout) {
    return new ConnectionOptions(
        highWatermarkBytes, lowWatermarkBytes, timeout, closeTimeout, lingerTimeout, lingerBytes);
  }

  public ConnectionOptions withCloseTimeout(Duration timeout) {
    return new ConnectionOptions(
        highWatermarkBytes, lowWatermarkBytes, idleTimeout, timeout, lingerTimeout, lingerBytes);
  }

  public ConnectionOptions withLinger(Duration timeout, int bytes) {
    return new ConnectionOptions(
        highWatermarkBytes, lowWatermarkBytes, idleTimeout, closeTimeout, timeout, bytes);
  }

  static void requireNotNegative(Duration value, String name) {
    if (value.isNegative()) {
      throw new IllegalArgumentException(name + " must not be negative: " + value);
    }
  }

  /** Nanoseconds of a duration; one that does not fit means never. */
  static long saturatedNanos(Duration duration) {
    try {
      return duration.toNanos();
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE;
    }
  }
}
