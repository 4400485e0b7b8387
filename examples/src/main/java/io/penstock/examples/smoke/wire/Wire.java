package io.penstock.examples.smoke.wire;

import io.penstock.examples.smoke.count.Tally;
import java.nio.ByteBuffer;

/**
 * A connection as the end that uses it sees it, whatever carries it. Only the thread that is inside
 * one of its {@link Peer}'s callbacks may call it; at most one is at any time.
 */
public interface Wire {

  /** The tally of the lane that runs the callback. */
  Tally tally();

  /** The bytes that {@link Peer#onReceived} is told of; valid until it returns. */
  ByteBuffer received();

  /** Sends back what was received. Once per callback. */
  void echo();

  /** As {@link #echo()}, but sent by a thread of its own. */
  void echoOutOfBand();

  /**
   * Sends a copy of these bytes, all or none.
   *
   * @return false when it can take no more; {@link Peer#onWritable} tells when it can
   */
  boolean trySend(ByteBuffer bytes);

  /** False while it can take no more. */
  boolean isWritable();

  /** Nothing is received until {@link #resume()}. */
  void pause();

  void resume();

  /** Ends it once all has left. */
  void close();

  /** Ends it with a reset. */
  void reset();

  /** What any thread may use to send on it. */
  OutOfBand outOfBand();
}
