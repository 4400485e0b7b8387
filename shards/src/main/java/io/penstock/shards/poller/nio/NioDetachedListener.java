package io.penstock.shards.poller.nio;

import io.penstock.shards.poller.DetachedListener;

/** A listening channel between two shards. */
record NioDetachedListener(NioBound bound) implements DetachedListener {
  @Override
  public void discard() {
    bound.close();
  }
}
