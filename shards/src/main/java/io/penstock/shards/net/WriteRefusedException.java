package io.penstock.shards.net;

import io.penstock.shards.memory.Segment;

/** A write was refused. The segment stays its writer's. */
public final class WriteRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  // Not for serialising: a segment is memory of this process.
  private final transient Segment segment;

  WriteRefusedException(Connection connection, Segment segment) {
    super(
        "write of "
            + segment.length()
            + " bytes refused by "
            + connection
            + " in state "
            + connection.state()
            + " with "
            + connection.queuedBytes()
            + " bytes queued of "
            + connection.options().highWatermarkBytes());
    this.segment = segment;
  }

  /** What was refused, the writer's to release or to write later. */
  public Segment segment() {
    return segment;
  }
}
