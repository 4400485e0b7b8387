package io.penstock.examples.smoke.sharded;

import io.penstock.examples.smoke.count.Tally;
import io.penstock.examples.smoke.wire.OutOfBand;
import io.penstock.examples.smoke.wire.Peer;
import io.penstock.examples.smoke.wire.Wire;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ConnectionRef;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection of a shard with its peer. Owns the segment that was received until the peer sends it
 * back, and releases it when the peer does not.
 */
@OnShard
final class ShardWire implements Wire {
  /** How long a writer waits that found the shard's pool empty. */
  private static final long RETRY_MILLIS = 1;

  private static final Logger LOG = LoggerFactory.getLogger(ShardWire.class);

  private final ShardedLeg leg;
  private final Connection connection;
  private final Tally tally;
  private final Peer peer;
  private Segment received;
  private boolean retrying;

  ShardWire(ShardedLeg leg, Connection connection, Tally tally, Peer peer) {
    this.leg = leg;
    this.connection = connection;
    this.tally = tally;
    this.peer = peer;
  }

  Peer peer() {
    return peer;
  }

  void onReceived(Segment segment) {
    received = segment;
    peer.onReceived(this, segment.length());
    if (received != null) {
      received = null;
      segment.release();
    }
  }

  @Override
  public Tally tally() {
    return tally;
  }

  @Override
  public ByteBuffer received() {
    return received.readable();
  }

  @Override
  public void echo() {
    Segment segment = takeReceived();
    if (!connection.tryWrite(segment)) {
      // Its output has ended; while it was merely full nothing would have been received.
      segment.release();
    }
  }

  @Override
  public void echoOutOfBand() {
    leg.poker().add(connection.shardIndex(), connection.ref(), takeReceived());
  }

  @Override
  public boolean trySend(ByteBuffer bytes) {
    if (!connection.isWritable()) {
      return false;
    }
    Segment segment = connection.tryLease(bytes.remaining());
    if (segment == null) {
      retryLater();
      return false;
    }
    segment.append(bytes);
    if (!connection.tryWrite(segment)) {
      segment.release();
      return false;
    }
    return true;
  }

  @Override
  public boolean isWritable() {
    return connection.isWritable();
  }

  @Override
  public void pause() {
    connection.pause();
  }

  @Override
  public void resume() {
    connection.demandUnbounded();
  }

  @Override
  public void close() {
    connection.close();
  }

  @Override
  public void reset() {
    connection.abort();
  }

  @Override
  public OutOfBand outOfBand() {
    ConnectionRef ref = connection.ref();
    return bytes -> {
      Segment segment = leg.segments().tryLease(bytes.remaining(), ref);
      if (segment == null) {
        return false;
      }
      segment.append(bytes.duplicate());
      if (!ref.tryWrite(segment)) {
        segment.release();
        return false;
      }
      return true;
    };
  }

  private Segment takeReceived() {
    Segment segment = received;
    received = null;
    return segment;
  }

  /** Nothing tells a writer that the pool has segments again, so it asks after a while. */
  private void retryLater() {
    if (retrying) {
      return;
    }
    retrying = true;
    CompletableFuture.delayedExecutor(RETRY_MILLIS, TimeUnit.MILLISECONDS)
        .execute(
            () -> {
              try {
                connection.ref().execute(this::retry);
              } catch (RejectedExecutionException e) {
                LOG.debug("{} ended before it could try to send again", connection, e);
              }
            });
  }

  private void retry(Connection self) {
    retrying = false;
    if (self.isWritable()) {
      peer.onWritable(this);
    }
  }
}
