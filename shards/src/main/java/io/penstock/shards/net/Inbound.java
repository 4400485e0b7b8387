package io.penstock.shards.net;

import io.penstock.shards.core.OnShard;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.memory.SegmentQueue;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.poller.IoResult;
import io.penstock.shards.poller.StreamSocket;

/**
 * The reading side of a connection: demand, the read loop, the peer's end.
 *
 * <p>Nothing is read without demand. Where the kernel receives by itself (io_uring), what was under
 * way when demand ended is staged here and delivered first when demand returns.
 */
@OnShard
final class Inbound implements Runnable {
  static final long UNBOUNDED = Long.MAX_VALUE;

  /** Receives in a row before other connections get their turn. */
  private static final int READS_A_TURN = 16;

  /** Bytes in a row likewise, for a connection that streams. */
  private static final int BYTES_A_TURN = 1 << 19;

  private final Connection connection;
  private final NetShard shard;

  private long demand;
  private long discardBytes;
  private SegmentQueue staged;
  private int stagedEnd = NO_END;
  private boolean readable;
  private boolean ended;
  private boolean discarding;
  private boolean reading;
  private boolean resumeQueued;
  private boolean starved;
  private boolean peerFinished;

  /** No receive of the kernel's has ended. */
  private static final int NO_END = Integer.MIN_VALUE;

  Inbound(Connection connection) {
    this.connection = connection;
    this.shard = connection.shard;
  }

  boolean peerFinished() {
    return peerFinished;
  }

  /** True while nothing is received, although the peer may send. */
  boolean isPaused() {
    return !peerFinished && !wants();
  }

  long demand() {
    return demand;
  }

  void request(long elements) {
    long sum = demand + elements;
    demand = sum < 0 ? UNBOUNDED : sum;
    demandChanged();
  }

  void pause() {
    demand = 0;
    demandChanged();
  }

  /** Reads on and drops up to that many bytes, until the peer ends. */
  void discard(long limitBytes) {
    discarding = true;
    discardBytes = limitBytes;
    releaseStaged();
    demandChanged();
  }

  /** The pool has segments again. */
  void onPoolRecovered() {
    starved = false;
    demandChanged();
  }

  /** Called when the connection opens, with what was demanded before. */
  void demandChanged() {
    if (reading || connection.socket() == null || !connection.isLive()) {
      return;
    }
    boolean wanted = wants();
    tellSocket(wanted);
    if (wanted && (readable || hasStaged() || stagedEnd != NO_END)) {
      resumeSoon();
    }
  }

  /**
   * Goes on after the turn's bound was reached, demand returned, or the pool has segments again.
   */
  @Override
  public void run() {
    resumeQueued = false;
    try {
      readLoop();
    } catch (Throwable defect) {
      connection.brokenBy(defect);
      throw defect;
    }
  }

  void onReadable(boolean atEnd) {
    readable = true;
    ended |= atEnd;
    readLoop();
  }

  /** False if the pool is empty; then it is offered again when this connection wants it again. */
  boolean tryReceived(Segment lent) {
    int lengthBytes = lent.length();
    if (discarding) {
      countReceived(lengthBytes);
      spendDiscard(lengthBytes);
      return true;
    }
    Segment own = shard.pool().tryLease(lengthBytes, connection);
    if (own == null) {
      starve();
      demandMayHaveEnded();
      return false;
    }
    countReceived(lengthBytes);
    own.append(lent);
    if (reading || !wants() || hasStaged()) {
      stage(own);
    } else {
      reading = true;
      try {
        deliver(own);
      } finally {
        reading = false;
      }
    }
    demandMayHaveEnded();
    return true;
  }

  void onReceiveEnded(int result) {
    if (result < 0 && !wants()) {
      // Nobody asks, and the kernel tells it once only.
      connection.failed(result);
      return;
    }
    stagedEnd = result;
    readLoop();
  }

  /** Wants nothing until the pool has segments again. */
  private void starve() {
    if (!starved) {
      starved = true;
      shard.onPoolEmpty(this);
    }
  }

  void releaseStaged() {
    if (staged != null) {
      staged.releaseAll();
    }
  }

  private void readLoop() {
    if (reading) {
      return;
    }
    reading = true;
    try {
      readWhileWanted();
    } finally {
      reading = false;
    }
    demandMayHaveEnded();
  }

  private void readWhileWanted() {
    int reads = 0;
    int bytes = 0;
    while (wants()) {
      if (hasStaged()) {
        deliver(staged.removeFirst());
        continue;
      }
      if (stagedEnd != NO_END) {
        int end = stagedEnd;
        stagedEnd = NO_END;
        finishReading(end);
        return;
      }
      if (!readable) {
        return;
      }
      if (reads == READS_A_TURN || bytes >= BYTES_A_TURN) {
        resumeSoon();
        return;
      }
      Segment scratch = shard.scratch().borrow();
      if (scratch == null) {
        starve();
        return;
      }
      int n = connection.socket().receive(scratch);
      reads++;
      if (n <= 0) {
        readable = false;
        if (n != IoResult.WOULD_BLOCK) {
          finishReading(n);
        }
        return;
      }
      // A short receive emptied the queue: what comes later brings an event of its own. Only an end
      // that the kernel has told of already does not.
      if (scratch.room() > 0 && !ended) {
        readable = false;
      }
      bytes += n;
      countReceived(n);
      if (discarding) {
        shard.scratch().discard();
        spendDiscard(n);
      } else {
        deliver(shard.scratch().take(connection));
        connection.out.flushIfLarge();
      }
    }
  }

  private boolean wants() {
    if (!connection.isLive() || peerFinished || starved) {
      return false;
    }
    return discarding ? discardBytes > 0 : demand > 0 && connection.isDelivering();
  }

  private void deliver(Segment segment) {
    if (demand != UNBOUNDED) {
      demand--;
    }
    connection.deliver(segment);
  }

  private void finishReading(int result) {
    if (result == 0) {
      peerFinished = true;
      connection.onPeerEnd();
    } else {
      connection.failed(result);
    }
  }

  private void spendDiscard(int bytes) {
    discardBytes -= bytes;
    if (discardBytes <= 0) {
      connection.discardSpent();
    }
  }

  private void countReceived(int bytes) {
    connection.touch();
    shard.counters().increment(Counter.RECEIVES);
    shard.counters().add(Counter.RECEIVED_BYTES, bytes);
  }

  private void demandMayHaveEnded() {
    StreamSocket socket = connection.socket();
    if (socket != null && connection.isLive()) {
      tellSocket(wants());
    }
  }

  private void tellSocket(boolean wanted) {
    connection.socket().wantReceive(wanted, demand == UNBOUNDED && !discarding);
    if (!wanted) {
      shard.resetWatch().onPaused();
    }
  }

  private void resumeSoon() {
    if (!resumeQueued) {
      resumeQueued = true;
      shard.loop().resumeLater(this);
    }
  }

  private boolean hasStaged() {
    return staged != null && !staged.isEmpty();
  }

  private void stage(Segment segment) {
    if (staged == null) {
      staged = new SegmentQueue();
    }
    staged.add(segment);
  }
}
