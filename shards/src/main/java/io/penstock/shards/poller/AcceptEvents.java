package io.penstock.shards.poller;

import io.penstock.shards.core.OnShard;

/** What a listening socket tells its listener. On the shard's thread, from inside a poll. */
@OnShard
public interface AcceptEvents {

  /** A connection was taken from the queue; it passes to the callee, to adopt or to discard. */
  void onAccepted(AcceptedSocket accepted);

  /**
   * Accepting failed, for instance for lack of descriptors. The socket stays and is silent until it
   * is resumed.
   */
  void onAcceptFailed(int result);

  /** After close: the socket is gone and its address is free. The last event. */
  void onClosed();
}
