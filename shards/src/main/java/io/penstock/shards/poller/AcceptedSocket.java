package io.penstock.shards.poller;

import io.penstock.shards.core.AnyThread;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.PeerCredentials;
import java.io.IOException;

/** An accepted socket that no poller watches yet. One owner; may change threads. */
@AnyThread
public interface AcceptedSocket {

  /** The peer's address, as accept told it. */
  Endpoint remote();

  /**
   * Who is at the other end of a Unix socket.
   *
   * @throws IOException if it is no Unix socket or the peer cannot be asked for any more
   */
  PeerCredentials peerCredentials() throws IOException;

  /** Closes it unused; with a reset, the peer learns at once. */
  void discard(boolean reset);
}
