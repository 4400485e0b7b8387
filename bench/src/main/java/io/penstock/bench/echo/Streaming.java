package io.penstock.bench.echo;

import io.penstock.shards.memory.Segment;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ConnectionHandler;

/** A client that keeps 1 MiB on its way, as fast as it comes back. One shard's thread uses it. */
final class Streaming implements ConnectionHandler {
  private static final int MESSAGE_BYTES = 1 << 16;
  private static final int WINDOW_BYTES = 16 * MESSAGE_BYTES;

  private long onTheWayBytes;

  @Override
  public void onOpened(Connection connection) {
    connection.demandUnbounded();
    fill(connection);
  }

  @Override
  public void onReceived(Connection connection, Segment segment) {
    onTheWayBytes -= segment.length();
    segment.release();
    fill(connection);
  }

  private void fill(Connection connection) {
    while (onTheWayBytes + MESSAGE_BYTES <= WINDOW_BYTES && connection.isWritable()) {
      onTheWayBytes += MESSAGE_BYTES;
      connection.write(connection.lease(MESSAGE_BYTES).range(0, MESSAGE_BYTES));
    }
  }

  @Override
  public void onWritable(Connection connection) {
    fill(connection);
  }
}
