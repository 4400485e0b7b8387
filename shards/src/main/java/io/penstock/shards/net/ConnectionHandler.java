package io.penstock.shards.net;

import io.penstock.shards.core.OnShard;
import io.penstock.shards.memory.Segment;

/**
 * What an application does with its connections. All callbacks of a connection run on its shard's
 * thread, one at a time; they must not block. A handler that keeps nothing per connection may serve
 * many.
 *
 * <p>What a callback throws ends that connection alone, with {@link CloseReason.HandlerFailed}.
 */
@OnShard
public interface ConnectionHandler {

  /** The connection is there. Nothing is read until demand is stated. */
  void onOpened(Connection connection);

  /**
   * Bytes, against demand. The segment passes to the handler, which releases it, keeps it or writes
   * it on.
   */
  void onReceived(Connection connection, Segment segment);

  /**
   * The peer sends nothing more; all it sent has been received. Writing goes on until this side
   * finishes or closes, too. By default it closes.
   */
  default void onPeerFinished(Connection connection) {
    connection.close();
  }

  /**
   * Writes are taken again: the queue was above its high watermark and is below its low one, or a
   * ref had refused a writer.
   */
  default void onWritable(Connection connection) {}

  /**
   * It is over; the last callback, and the only one for a connect that failed. Segments that were
   * queued have been released.
   */
  default void onClosed(Connection connection, CloseReason reason) {}
}
