package io.penstock.bench.echo;

import io.penstock.shards.memory.Segment;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ConnectionHandler;

/** Writes back what comes. Keeps nothing, so that one serves all. */
final class EchoServer implements ConnectionHandler {
  @Override
  public void onOpened(Connection connection) {
    connection.demandUnbounded();
  }

  @Override
  public void onReceived(Connection connection, Segment segment) {
    connection.write(segment);
    if (!connection.isWritable()) {
      connection.pause();
    }
  }

  @Override
  public void onWritable(Connection connection) {
    connection.demandUnbounded();
  }
}
