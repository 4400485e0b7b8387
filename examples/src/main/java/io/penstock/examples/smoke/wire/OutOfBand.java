package io.penstock.examples.smoke.wire;

import java.nio.ByteBuffer;

/** Sends on a connection from a thread that does not run it. */
@FunctionalInterface
public interface OutOfBand {

  /** Sends a copy of these bytes, all or none; false when it can take no more for now. */
  boolean trySend(ByteBuffer bytes);
}
