package io.penstock.shards.poller;

import io.penstock.shards.core.OnShard;
import io.penstock.shards.memory.Segment;

/** What a socket tells its connection. On the shard's thread, from inside a poll. */
@OnShard
public interface SocketEvents {

  /** The connect ended: 0 for success, else a negated errno. */
  void onConnected(int result);

  /**
   * Bytes, the end, or a failure can be received; receive until it would block or comes back short.
   *
   * @param ended true if the kernel knows that the peer's bytes end, behind what is still to come
   */
  void onReadable(boolean ended);

  /**
   * The kernel received into memory of its own choice. The segment is valid during the call only.
   *
   * @return false if there is no memory to take it into; then it is kept, and offered again before
   *     all that comes behind it, once receiving is wanted again
   */
  boolean onReceived(Segment lent);

  /** A receive of the kernel's ended: 0 at the end of the peer's bytes, else a failure. */
  void onReceiveEnded(int result);

  /** There is room for a write again. */
  void onWritable();

  /** A pending write ended: bytes taken, or a failure. */
  void onWritten(int result);

  /** The connection is broken, noticed without a receive or a write. */
  void onBroken(int result);

  /** After close: the kernel uses nothing of this socket any more. The last event. */
  void onReleased();
}
