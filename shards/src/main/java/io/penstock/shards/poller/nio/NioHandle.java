package io.penstock.shards.poller.nio;

import io.penstock.shards.core.OnShard;

/** What is attached to a key. */
@OnShard
interface NioHandle {
  void onReady(int readyOps);

  /** Its event threw: whatever it was must not be repeated for ever. */
  void onUnhandled();
}
