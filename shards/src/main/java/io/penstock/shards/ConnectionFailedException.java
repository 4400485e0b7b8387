package io.penstock.shards;

import io.penstock.shards.net.CloseReason;
import java.io.IOException;

/** A connect ended without a connection. */
public final class ConnectionFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  // Not for serialising: its causes need not be.
  private final transient CloseReason reason;

  ConnectionFailedException(String connection, CloseReason reason) {
    super(connection + " did not open: " + reason, causeOf(reason));
    this.reason = reason;
  }

  /** Why, as the handler was told. */
  public CloseReason reason() {
    return reason;
  }

  private static Throwable causeOf(CloseReason reason) {
    if (reason instanceof CloseReason.ConnectFailed failed) {
      return failed.cause();
    }
    return reason instanceof CloseReason.HandlerFailed failed ? failed.cause() : null;
  }
}
