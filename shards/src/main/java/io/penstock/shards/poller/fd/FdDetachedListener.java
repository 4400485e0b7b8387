package io.penstock.shards.poller.fd;

import io.penstock.shards.poller.DetachedListener;

/** A listening descriptor between two shards. */
record FdDetachedListener(BoundSocket bound) implements DetachedListener {
  @Override
  public void discard() {
    BoundSocket.close(bound.socket(), bound.file());
  }
}
