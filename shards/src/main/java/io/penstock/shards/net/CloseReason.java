package io.penstock.shards.net;

import java.io.IOException;
import java.time.Duration;
import java.util.Objects;

/** Why a connection is over. The first cause counts; what follows from it changes nothing. */
public sealed interface CloseReason {

  /** Both sides finished in order. */
  record Finished() implements CloseReason {}

  /** {@code close} was called, and what was queued has been handed to the kernel. */
  record Closed() implements CloseReason {}

  /** {@code abort} was called; what was queued is dropped and the peer was reset. */
  record Aborted() implements CloseReason {}

  /** The peer reset the connection or vanished. */
  record PeerReset(String detail) implements CloseReason {}

  /** Nothing came and nothing went for that long. */
  record IdleTimeout(Duration after) implements CloseReason {}

  /** {@code close} was called, and the peer took nothing of what was queued for that long. */
  record CloseTimeout(Duration after) implements CloseReason {}

  /** The connect took longer than it may. */
  record ConnectTimeout(Duration after) implements CloseReason {}

  /** The connect was refused or could not be tried. */
  record ConnectFailed(IOException cause) implements CloseReason {}

  /** A callback of the handler threw. */
  record HandlerFailed(Throwable cause) implements CloseReason {
    public HandlerFailed {
      Objects.requireNonNull(cause, "cause");
    }
  }

  /** The kernel reported another failure. */
  record Failed(IOException cause) implements CloseReason {}

  /** The shard ended before the connection did. */
  record ShardStopped() implements CloseReason {}

  /**
   * True when all that was written reached the kernel and the peer's bytes were read or given up.
   */
  default boolean isOrderly() {
    return this instanceof Finished || this instanceof Closed;
  }
}
