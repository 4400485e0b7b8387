package io.penstock.shards.testing;

import io.penstock.shards.core.OnShard;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.net.Connection;
import java.util.function.Consumer;

/**
 * Writes a pattern as fast as the connection takes it: give {@link #pump} to the handler as what to
 * do when opened, and when writable.
 */
@OnShard
public final class PatternSource {
  private final Pattern pattern;
  private final long totalBytes;
  private final int segmentBytes;
  private final Consumer<Connection> whenWritten;
  private long written;
  private boolean done;

  public PatternSource(
      Pattern pattern, long totalBytes, int segmentBytes, Consumer<Connection> whenWritten) {
    this.pattern = pattern;
    this.totalBytes = totalBytes;
    this.segmentBytes = segmentBytes;
    this.whenWritten = whenWritten;
  }

  /** Writes until all is written or the connection takes no more. */
  public void pump(Connection connection) {
    while (written < totalBytes && connection.isWritable()) {
      int lengthBytes = (int) Math.min(segmentBytes, totalBytes - written);
      connection.write(segment(connection, pattern, written, lengthBytes));
      written += lengthBytes;
    }
    if (written == totalBytes && !done) {
      done = true;
      whenWritten.accept(connection);
    }
  }

  /** A leased segment with that part of the pattern. */
  public static Segment segment(
      Connection connection, Pattern pattern, long position, int lengthBytes) {
    return filled(connection, pattern.bytes(position, lengthBytes));
  }

  /** A leased segment with those bytes. */
  public static Segment filled(Connection connection, byte[] bytes) {
    Segment segment = connection.lease(bytes.length);
    segment.append(bytes, 0, bytes.length);
    return segment;
  }
}
