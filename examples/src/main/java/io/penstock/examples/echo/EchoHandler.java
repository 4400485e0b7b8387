package io.penstock.examples.echo;

import io.penstock.shards.memory.Segment;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ConnectionHandler;

/** Writes back what comes, the same segment, and reads no more while the peer does not. */
public final class EchoHandler implements ConnectionHandler {
  /** Keeps nothing per connection, so that one serves all. */
  public static final EchoHandler INSTANCE = new EchoHandler();

  private EchoHandler() {}

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
