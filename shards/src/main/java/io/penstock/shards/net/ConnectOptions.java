package io.penstock.shards.net;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.SocketOptions;
import java.time.Duration;
import java.util.Objects;

/**
 * How to connect. Immutable.
 *
 * @param timeout until the connect counts as failed; positive
 * @param local where to connect from, or null to let the kernel choose
 * @param socket options of the socket
 * @param connection bounds of the connection
 */
public record ConnectOptions(
    Duration timeout, Endpoint local, SocketOptions socket, ConnectionOptions connection) {

  public ConnectOptions {
    Objects.requireNonNull(timeout, "timeout");
    Objects.requireNonNull(socket, "socket");
    Objects.requireNonNull(connection, "connection");
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException("the connect timeout must be positive: " + timeout);
    }
  }

  /** 10 s, from any address. */
  public static ConnectOptions defaults() {
    return new ConnectOptions(
        Duration.ofSeconds(10), null, SocketOptions.none(), ConnectionOptions.defaults());
  }

  public ConnectOptions withTimeout(Duration newTimeout) {
    return new ConnectOptions(newTimeout, local, socket, connection);
  }

  public ConnectOptions withLocal(Endpoint newLocal) {
    return new ConnectOptions(timeout, newLocal, socket, connection);
  }

  public ConnectOptions withSocket(SocketOptions newSocket) {
    return new ConnectOptions(timeout, local, newSocket, connection);
  }

  public ConnectOptions withConnection(ConnectionOptions newConnection) {
    return new ConnectOptions(timeout, local, socket, newConnection);
  }
}
