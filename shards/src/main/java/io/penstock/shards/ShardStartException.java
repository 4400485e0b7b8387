package io.penstock.shards;

/** A group could not be started; nothing of it is left. The message says why. */
public final class ShardStartException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ShardStartException(String message, Throwable cause) {
    super(message, cause);
  }
}
