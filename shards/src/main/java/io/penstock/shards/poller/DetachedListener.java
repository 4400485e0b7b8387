package io.penstock.shards.poller;

import io.penstock.shards.core.AnyThread;

/** A listening socket that no poller watches. One owner; may change threads. */
@AnyThread
public interface DetachedListener {

  /** Closes it; connections in its queue are reset by the kernel. */
  void discard();
}
