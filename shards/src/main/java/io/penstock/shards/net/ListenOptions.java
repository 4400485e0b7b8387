package io.penstock.shards.net;

import io.penstock.shards.core.PeerCredentials;
import io.penstock.shards.core.SocketOptions;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * How to listen. Immutable.
 *
 * @param accepting how connections come to shards
 * @param placement makes the placement of an acceptor; called once per listener
 * @param backlog connections that may wait in the kernel; positive
 * @param maxConnections connections of this listener that may be open; later ones are refused
 * @param listener options of the listening socket
 * @param accepted options of accepted sockets
 * @param connection bounds of accepted connections
 * @param unixMode permission bits of a Unix socket's file
 * @param replaceStaleFile whether a Unix socket's file that nobody listens on is taken over
 * @param allowedPeers which peers of a Unix socket may connect, or null for all
 */
public record ListenOptions(
    Accepting accepting,
    Supplier<Placement> placement,
    int backlog,
    int maxConnections,
    SocketOptions listener,
    SocketOptions accepted,
    ConnectionOptions connection,
    int unixMode,
    boolean replaceStaleFile,
    Predicate<PeerCredentials> allowedPeers) {

  /** How connections come to shards. */
  public enum Accepting {
    /** One reuse-port socket per shard for TCP on Linux, else an acceptor. */
    AUTO,
    /** One reuse-port socket per shard; the kernel spreads connections by hash. */
    EACH_SHARD,
    /** The first shard accepts and placement chooses the shard. */
    ACCEPTOR
  }

  public ListenOptions {
    Objects.requireNonNull(accepting, "accepting");
    Objects.requireNonNull(placement, "placement");
    Objects.requireNonNull(listener, "listener");
    Objects.requireNonNull(accepted, "accepted");
    Objects.requireNonNull(connection, "connection");
    if (backlog <= 0) {
      throw new IllegalArgumentException("backlog must be positive: " + backlog);
    }
    if (maxConnections <= 0) {
      throw new IllegalArgumentException("maxConnections must be positive: " + maxConnections);
    }
    if ((unixMode & ~0777) != 0) {
      throw new IllegalArgumentException(
          "unixMode must be permission bits: 0" + Integer.toOctalString(unixMode));
    }
  }

  /** Automatic, least connections, backlog 1,024, no limit, file mode 0600. */
  public static ListenOptions defaults() {
    return new ListenOptions(
        Accepting.AUTO,
        Placement::leastConnections,
        1024,
        Integer.MAX_VALUE,
        SocketOptions.none(),
        SocketOptions.none(),
        ConnectionOptions.defaults(),
        0600,
        false,
        null);
  }

  public ListenOptions withAccepting(Accepting newAccepting) {
    return new ListenOptions(
        newAccepting,
        placement,
        backlog,
        maxConnections,
        listener,
        accepted,
        connection,
        unixMode,
        replaceStaleFile,
        allowedPeers);
  }

  public ListenOptions withPlacement(Supplier<Placement> newPlacement) {
    return new ListenOptions(
        accepting,
        newPlacement,
        backlog,
        maxConnections,
        listener,
        accepted,
        connection,
        unixMode,
        replaceStaleFile,
        allowedPeers);
  }

  public ListenOptions withBacklog(int newBacklog) {
    return new ListenOptions(
        accepting,
        placement,
        newBacklog,
        maxConnections,
        listener,
        accepted,
        connection,
        unixMode,
        replaceStaleFile,
        allowedPeers);
  }

  public ListenOptions withMaxConnections(int newMax) {
    return new ListenOptions(
        accepting,
        placement,
        backlog,
        newMax,
        listener,
        accepted,
        connection,
        unixMode,
        replaceStaleFile,
        allowedPeers);
  }

  public ListenOptions withListenerSocket(SocketOptions newListener) {
    return new ListenOptions(
        accepting,
        placement,
        backlog,
        maxConnections,
        newListener,
        accepted,
        connection,
        unixMode,
        replaceStaleFile,
        allowedPeers);
  }

  public ListenOptions withAcceptedSocket(SocketOptions newAccepted) {
    return new ListenOptions(
        accepting,
        placement,
        backlog,
        maxConnections,
        listener,
        newAccepted,
        connection,
        unixMode,
        replaceStaleFile,
        allowedPeers);
  }

  public ListenOptions withConnection(ConnectionOptions newConnection) {
    return new ListenOptions(
        accepting,
        placement,
        backlog,
        maxConnections,
        listener,
        accepted,
        newConnection,
        unixMode,
        replaceStaleFile,
        allowedPeers);
  }

  public ListenOptions withUnixMode(int newMode) {
    return new ListenOptions(
        accepting,
        placement,
        backlog,
        maxConnections,
        listener,
        accepted,
        connection,
        newMode,
        replaceStaleFile,
        allowedPeers);
  }

  public ListenOptions withReplaceStaleFile(boolean replace) {
    return new ListenOptions(
        accepting,
        placement,
        backlog,
        maxConnections,
        listener,
        accepted,
        connection,
        unixMode,
        replace,
        allowedPeers);
  }

  public ListenOptions withAllowedPeers(Predicate<PeerCredentials> allowed) {
    return new ListenOptions(
        accepting,
        placement,
        backlog,
        maxConnections,
        listener,
        accepted,
        connection,
        unixMode,
        replaceStaleFile,
        allowed);
  }
}
