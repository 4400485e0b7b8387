package io.penstock.shards.net;

import io.penstock.shards.core.OnShard;

/** Told once how a write ended, in the order of the writes, on the shard's thread. */
@OnShard
public interface WriteAck {

  /** The last byte was handed to the kernel. The peer may still not get it. */
  void onWritten();

  /** The connection ended before that. */
  void onFailed(CloseReason reason);
}
