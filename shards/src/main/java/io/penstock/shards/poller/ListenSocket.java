package io.penstock.shards.poller;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.OnShard;

/** A listening socket of a shard's poller. */
@OnShard
public interface ListenSocket {

  /** The address bound, with the port the kernel chose. */
  Endpoint local();

  /** Stops or resumes accepting; the queue is the kernel's meanwhile. */
  void wantAccept(boolean wanted);

  /** Accepts all that waits in the queue, now and in this call. */
  void acceptQueued();

  /** Stops watching and lets go of the socket, queue and all. */
  DetachedListener detach();

  /**
   * Accepts nothing more from the moment this returns. {@link AcceptEvents#onClosed} follows, from
   * inside this call where nothing is in flight.
   */
  void close();
}
