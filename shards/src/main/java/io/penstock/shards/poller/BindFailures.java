package io.penstock.shards.poller;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.os.ErrnoException;
import java.io.IOException;
import java.net.BindException;

/** Says which address could not be bound, where whoever refused it did not. */
public final class BindFailures {
  private BindFailures() {}

  /** The failure with the address in its message. */
  public static BindException of(Endpoint endpoint, IOException cause) {
    String why =
        cause instanceof ErrnoException known
            ? IoResult.describe(-known.errno())
            : cause.getMessage();
    BindException named = new BindException("cannot bind " + endpoint + ": " + why);
    named.initCause(cause);
    return named;
  }
}
