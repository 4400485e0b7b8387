package io.penstock.shards.poller;

import io.penstock.shards.core.AnyThread;
import io.penstock.shards.core.Endpoint;

/** An accepted socket that no poller watches yet. One owner; may change threads. */
@AnyThread
public interface AcceptedSocket {

  /** The peer's address, as accept told it. */
  Endpoint remote();

  /** Closes it unused; with a reset, the peer learns at once. */
  void discard(boolean reset);
}
