package io.penstock.shards.net;

import io.penstock.shards.core.AnyThread;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.core.PeerCredentials;
import io.penstock.shards.loop.Described;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.poller.IoResult;
import io.penstock.shards.poller.StreamSocket;
import java.io.IOException;
import java.util.Objects;

/**
 * One TCP or Unix connection, as its shard sees it. All methods belong to the shard's thread, but
 * for {@link #ref()}, whose result any thread may use.
 *
 * <p>Three ways to end: {@link #finish()} (no more from me), {@link #close()} (flush, then close),
 * {@link #abort()} (drop and reset). Each leads to one {@link ConnectionHandler#onClosed}.
 */
@OnShard
public final class Connection implements Described {
  final NetShard shard;
  final Inbound in;
  final Outbound out;

  private final long id;
  private final ConnectionHandler handler;
  private final ConnectionOptions options;
  private final ConnectionLife life;
  // Written once on the shard; the ref it holds is what other threads use.
  private final ConnectionRef ref;
  private StreamSocket socket;
  private ListenerCore listener;
  private int tableIndex;
  private Object attachment;

  Connection(
      NetShard shard,
      long id,
      ConnectionHandler handler,
      ConnectionOptions options,
      ConnectionState initial) {
    this.shard = shard;
    this.id = id;
    this.handler = Objects.requireNonNull(handler, "handler");
    this.options = options;
    this.in = new Inbound(this);
    this.out = new Outbound(this);
    this.life = new ConnectionLife(this, initial);
    this.ref = new ConnectionRef(this);
  }

  /** Its number, unique in its shard. */
  public long id() {
    return id;
  }

  /** The index of its shard. */
  public int shardIndex() {
    return shard.index();
  }

  public ConnectionState state() {
    return life.state();
  }

  /** Why it is over, or null while it is not. */
  public CloseReason closeReason() {
    return life.reason();
  }

  public ConnectionOptions options() {
    return options;
  }

  /** What other threads use to write and to end. */
  @AnyThread
  public ConnectionRef ref() {
    return ref;
  }

  /** The peer's address. Once open. */
  public Endpoint remote() {
    return socketOrThrow().remote();
  }

  /** The own address. Once open. */
  public Endpoint local() {
    return socketOrThrow().local();
  }

  /**
   * Who is at the other end of a Unix socket.
   *
   * @throws IOException if it is no Unix socket or the backend cannot tell
   */
  public PeerCredentials peerCredentials() throws IOException {
    return socketOrThrow().peerCredentials();
  }

  /** States demand for that many more segments; {@code Long.MAX_VALUE} for any number. */
  public void demand(long segments) {
    shard.requireOnShard(this);
    if (segments <= 0) {
      throw new IllegalArgumentException("demand must be positive: " + segments + " for " + this);
    }
    in.request(segments);
  }

  /** States demand for all that comes, until {@link #pause()}. */
  public void demandUnbounded() {
    demand(Inbound.UNBOUNDED);
  }

  /**
   * Withdraws all demand. Nothing is delivered until demand is stated again; what the kernel had
   * begun to receive meanwhile is kept for then.
   */
  public void pause() {
    shard.requireOnShard(this);
    in.pause();
  }

  /** Demand that is still open. */
  public long openDemand() {
    return in.demand();
  }

  /** True once the peer's end has been delivered. */
  public boolean isPeerFinished() {
    return in.peerFinished();
  }

  /** Leases a segment from the shard's pool, for writing; see the pool for an empty budget. */
  public Segment lease(int leastBytes) {
    return shard.pool().lease(leastBytes, this);
  }

  /** As {@link #lease}, or null when the pool's budget is used up. */
  public Segment tryLease(int leastBytes) {
    return shard.pool().tryLease(leastBytes, this);
  }

  /**
   * Queues a segment, which passes to the connection and leaves at the end of the turn.
   *
   * @return false when the queue is over its high watermark or the output has ended; then the
   *     segment stays the caller's, and {@link ConnectionHandler#onWritable} tells when to try
   *     again
   */
  public boolean tryWrite(Segment segment) {
    return tryWrite(segment, null);
  }

  /** As {@link #tryWrite(Segment)}; the ack is told once the last byte was handed to the kernel. */
  public boolean tryWrite(Segment segment, WriteAck ack) {
    shard.requireOnShard(this);
    return out.tryWrite(segment, ack);
  }

  /**
   * As {@link #tryWrite(Segment)} for who minds the watermark by {@link #isWritable()}.
   *
   * @throws WriteRefusedException with the segment when it is refused
   */
  public void write(Segment segment) {
    if (!tryWrite(segment, null)) {
      throw new WriteRefusedException(this, segment);
    }
  }

  /** False while the queue is over its watermark, and for good once the output has ended. */
  public boolean isWritable() {
    return takesWrites() && out.isWritable();
  }

  /** Bytes that are queued and not yet the kernel's. */
  public long queuedBytes() {
    return out.queuedBytes();
  }

  /** Ends the output behind what is queued; the peer's bytes still come. */
  public void finish() {
    shard.requireOnShard(this);
    if (isLive()) {
      out.finish();
    }
  }

  /** Sends what is queued, then closes; what the peer still sends is discarded. */
  public void close() {
    shard.requireOnShard(this);
    life.close();
  }

  /** Drops what is queued and resets the peer. */
  public void abort() {
    shard.requireOnShard(this);
    life.end(new CloseReason.Aborted(), true);
  }

  /** Something of the application's to keep with the connection; null at first. */
  public Object attachment() {
    return attachment;
  }

  public void attach(Object newAttachment) {
    attachment = newAttachment;
  }

  // --- what the parts of the connection tell each other ---

  ConnectionLife life() {
    return life;
  }

  ConnectionHandler handler() {
    return handler;
  }

  StreamSocket socket() {
    return socket;
  }

  void setSocket(StreamSocket newSocket) {
    socket = newSocket;
  }

  int tableIndex() {
    return tableIndex;
  }

  void setTableIndex(int index) {
    tableIndex = index;
  }

  /** The listener that it came from, or null for one that was connected. */
  ListenerCore listener() {
    return listener;
  }

  void setListener(ListenerCore from) {
    listener = from;
  }

  boolean isLive() {
    return life.state() != ConnectionState.CLOSED;
  }

  /**
   * True if nothing is received from its socket for now, so that a selector tells nothing of it.
   * Unix sockets have no resets; and once both sides have finished, with something still unread, an
   * ended socket looks like a broken one.
   */
  boolean mayBreakUnseen() {
    return isDelivering() && in.isPaused() && !out.isFinished() && !socket.remote().isUnix();
  }

  boolean isConnecting() {
    return life.state() == ConnectionState.CONNECTING;
  }

  boolean isDelivering() {
    return life.state() == ConnectionState.OPEN;
  }

  boolean takesWrites() {
    return life.state().compareTo(ConnectionState.OPEN) <= 0;
  }

  void touch() {
    life.touch();
  }

  void deliver(Segment segment) {
    shard.loop().running(this);
    try {
      handler.onReceived(this, segment.passTo(this));
    } catch (Throwable t) {
      // Not passed on by the handler: still ours to give back.
      segment.releaseIfOwnedBy(this);
      handlerFailed(t);
    }
  }

  void onPeerEnd() {
    life.onPeerEnd();
  }

  void onOutputDrained() {
    life.onOutputDrained();
  }

  void discardSpent() {
    life.onLingerOver();
  }

  void tellWritable() {
    try {
      handler.onWritable(this);
    } catch (Throwable t) {
      handlerFailed(t);
    }
  }

  void tellWritten(WriteAck ack) {
    try {
      ack.onWritten();
    } catch (Throwable t) {
      handlerFailed(t);
    }
  }

  void tellFailed(WriteAck ack, CloseReason reason) {
    try {
      ack.onFailed(reason);
    } catch (Throwable t) {
      shard.applicationFailed("a write ack of " + this, t);
    }
  }

  void failed(int result) {
    life.end(
        IoResult.isReset(result)
            ? new CloseReason.PeerReset(IoResult.describe(result))
            : new CloseReason.Failed(new IOException(IoResult.describe(result))),
        true);
  }

  /** By a defect, of its own or of its backend. */
  void brokenBy(Throwable defect) {
    IOException cause = new IOException(this + " ended by a defect", defect);
    life.end(new CloseReason.Failed(cause), true);
  }

  void handlerFailed(Throwable cause) {
    shard.counters().increment(Counter.HANDLER_FAILURES);
    life.end(new CloseReason.HandlerFailed(cause), true);
  }

  private StreamSocket socketOrThrow() {
    if (socket == null) {
      throw new IllegalStateException("not open yet: " + this);
    }
    return socket;
  }

  @Override
  public String describe() {
    return this + " with " + handler.getClass().getName();
  }

  @Override
  public String toString() {
    return "connection " + id + " of shard " + shard.index();
  }
}
