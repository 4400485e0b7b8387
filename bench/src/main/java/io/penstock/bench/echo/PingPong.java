package io.penstock.bench.echo;

import io.penstock.shards.memory.Segment;
import io.penstock.shards.net.CloseReason;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ConnectionHandler;
import org.HdrHistogram.Histogram;

/**
 * A client that sends a message when the last one is back, and records how long that took. One
 * shard's thread uses it; the histogram is shared by the clients of that shard.
 */
final class PingPong implements ConnectionHandler {
  private static final int MESSAGE_BYTES = 64;

  private final Histogram roundTripNanos;
  private long sentNanos;
  private int missingBytes;

  PingPong(Histogram roundTripNanos) {
    this.roundTripNanos = roundTripNanos;
  }

  @Override
  public void onOpened(Connection connection) {
    connection.demandUnbounded();
    send(connection);
  }

  @Override
  public void onReceived(Connection connection, Segment segment) {
    missingBytes -= segment.length();
    segment.release();
    if (missingBytes == 0) {
      roundTripNanos.recordValue(System.nanoTime() - sentNanos);
      send(connection);
    }
  }

  private void send(Connection connection) {
    missingBytes = MESSAGE_BYTES;
    sentNanos = System.nanoTime();
    connection.write(connection.lease(MESSAGE_BYTES).range(0, MESSAGE_BYTES));
  }

  @Override
  public void onClosed(Connection connection, CloseReason reason) {
    if (!reason.isOrderly() && !(reason instanceof CloseReason.Aborted)) {
      throw new IllegalStateException(connection + " ended: " + reason);
    }
  }
}
