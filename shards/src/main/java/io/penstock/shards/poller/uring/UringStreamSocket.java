package io.penstock.shards.poller.uring;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.memory.SegmentQueue;
import io.penstock.shards.poller.IoResult;
import io.penstock.shards.poller.SocketEvents;
import io.penstock.shards.poller.fd.FdContext;
import io.penstock.shards.poller.fd.FdSocket;
import io.penstock.shards.poller.fd.FdStreamSocket;
import java.io.IOException;
import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream socket on the ring, in one of two ways, whichever suits what it carries:
 *
 * <ul>
 *   <li>polled: a multishot poll tells of readiness, plain calls move the bytes. For bounded
 *       demand, which it follows exactly, for large messages and for Unix sockets.
 *   <li>on the ring: a multishot receive fills the shard's buffers, sends are submitted; one system
 *       call serves many connections. For small messages over TCP under unbounded demand.
 * </ul>
 *
 * <p>It goes over to the ring after a row of small receives, and back when a receive fills its
 * buffer or demand ends. Then the receive is cancelled; what it completes before that, at most the
 * shard's group of buffers, is still handed over.
 */
@OnShard
final class UringStreamSocket extends FdStreamSocket
    implements RingHandle.Completions, UringPoller.Continued {
  private static final Logger LOG = LoggerFactory.getLogger(UringStreamSocket.class);

  private static final short POLL_READABLE = 1;
  private static final short POLL_WRITABLE = 2;
  private static final short RECEIVE = 3;
  private static final short SEND = 4;

  private static final long NOT_SUBMITTED = 0;

  /** A receive of that much or more is no small message. */
  private static final int SMALL_BYTES = 1024;

  /** Small receives in a row before the ring takes over. */
  private static final int SMALL_ROW = 8;

  private final UringPoller poller;
  private final RingHandle handle;
  private long readablePoll = NOT_SUBMITTED;
  private long writablePoll = NOT_SUBMITTED;
  private long receive = NOT_SUBMITTED;
  private long send = NOT_SUBMITTED;
  private int smallReceives;
  private boolean writableArmed;
  private boolean writableCancelling;
  private boolean onRing;
  private boolean cancelling;
  private boolean wanted;
  private boolean unbounded;
  // Received by the ring while there was no memory to take it, and how the receive ended behind it.
  private final ArrayDeque<Held> held = new ArrayDeque<>(0);
  private int endBehindHeld;
  private boolean proceeding;

  /** A buffer of the group with what is in it. */
  private record Held(int buffer, int lengthBytes) {}

  UringStreamSocket(
      UringPoller poller,
      FdContext context,
      FdSocket socket,
      SocketEvents events,
      Endpoint remote,
      boolean connecting)
      throws IOException {
    super(context, socket, events, remote, connecting);
    this.poller = poller;
    handle = new RingHandle(poller, this);
    if (connecting) {
      armWritable(true);
    } else {
      watchConnected();
    }
  }

  @Override
  protected void watchConnected() {
    if (readablePoll == NOT_SUBMITTED) {
      readablePoll = handle.submit(RingOps.pollReadable(descriptor(), POLL_READABLE));
    }
  }

  @Override
  protected void armWritable(boolean armed) {
    writableArmed = armed;
    if (armed && writablePoll == NOT_SUBMITTED) {
      writablePoll = handle.submit(RingOps.pollWritable(descriptor(), POLL_WRITABLE));
    } else if (!armed && writablePoll != NOT_SUBMITTED && !writableCancelling) {
      writableCancelling = true;
      handle.cancel(writablePoll);
    }
  }

  @Override
  public void wantReceive(boolean newWanted, boolean newUnbounded) {
    super.wantReceive(newWanted, newUnbounded);
    wanted = newWanted;
    unbounded = newUnbounded;
    if (wanted && isHolding() && !proceeding) {
      proceeding = true;
      poller.proceedLater(this);
    }
    if (onRing && !(wanted && unbounded)) {
      leaveRing();
    } else if (!onRing && wanted && unbounded && smallReceives >= SMALL_ROW) {
      enterRing();
    }
  }

  @Override
  public int receive(Segment into) {
    if (receive != NOT_SUBMITTED || isHolding()) {
      // The ring may hold earlier bytes already: taking later ones here would swap them.
      return IoResult.WOULD_BLOCK;
    }
    int n = super.receive(into);
    if (n > 0) {
      smallReceives = n < SMALL_BYTES ? smallReceives + 1 : 0;
    }
    return n;
  }

  @Override
  public long write(SegmentQueue queue) {
    if (onRing && queue.size() == 1 && queue.lengthBytes() <= ReceiveBuffers.BUFFER_BYTES) {
      Segment only = queue.get(0);
      long address = only.address() + only.from();
      send = handle.submit(RingOps.send(descriptor(), address, only.length(), SEND));
      return IoResult.PENDING;
    }
    return super.write(queue);
  }

  private void enterRing() {
    if (socket.isUnix() || receive != NOT_SUBMITTED) {
      return;
    }
    onRing = true;
    armReceive();
    if (readablePoll != NOT_SUBMITTED) {
      handle.cancel(readablePoll);
    }
  }

  private void armReceive() {
    receive = handle.submit(RingOps.receive(descriptor(), ReceiveBuffers.GROUP, RECEIVE));
  }

  /** The receive goes on until the kernel says that it has ended; then the poll takes over. */
  private void leaveRing() {
    onRing = false;
    smallReceives = 0;
    if (receive != NOT_SUBMITTED && !cancelling) {
      cancelling = true;
      handle.cancel(receive);
    }
  }

  @Override
  public void onCompletion(int tag, int result, int flags) {
    boolean more = (flags & RingOps.IORING_CQE_F_MORE) != 0;
    switch (tag) {
      case POLL_READABLE -> onReadablePoll(result, more);
      case POLL_WRITABLE -> onWritablePoll(result, more);
      case RECEIVE -> onReceive(result, flags, more);
      case SEND -> {
        send = NOT_SUBMITTED;
        events.onWritten(result);
      }
      default -> throw new IllegalStateException("completion of an unknown operation " + tag);
    }
  }

  private void onReadablePoll(int result, boolean more) {
    if (!more) {
      readablePoll = NOT_SUBMITTED;
    }
    if (receive == NOT_SUBMITTED) {
      onPolled(result);
      if (!more && !isClosed() && receive == NOT_SUBMITTED) {
        // Ended by the kernel, as when the completion queue overflowed.
        watchConnected();
      }
    }
  }

  private void onWritablePoll(int result, boolean more) {
    if (!more) {
      writablePoll = NOT_SUBMITTED;
      writableCancelling = false;
    }
    onPolled(result);
    if (writableArmed && writablePoll == NOT_SUBMITTED && !isClosed()) {
      armWritable(true);
    }
  }

  private void onPolled(int result) {
    if (isClosed() || result == IoResult.ECANCELED) {
      return;
    }
    if (result >= 0) {
      onReady(result);
    } else {
      events.onBroken(result);
    }
  }

  private void onReceive(int result, int flags, boolean more) {
    if (!more) {
      receive = NOT_SUBMITTED;
      cancelling = false;
    }
    if (RingOps.hasBuffer(flags)) {
      received(RingOps.buffer(flags), result);
    }
    if (!more && !isClosed()) {
      receiveEnded(result);
    }
  }

  private void received(int buffer, int lengthBytes) {
    if (lengthBytes == ReceiveBuffers.BUFFER_BYTES && onRing && !isClosed()) {
      // More is behind it: large reads by plain calls carry it better.
      leaveRing();
    }
    boolean keep = isHolding();
    try {
      keep = keep || !offer(buffer, lengthBytes);
    } finally {
      if (keep && !isClosed()) {
        poller.receiveBuffers().withhold();
        held.add(new Held(buffer, lengthBytes));
      } else {
        poller.receiveBuffers().giveBack(buffer);
      }
    }
  }

  /** True if it was taken, or nobody is there to take it. */
  private boolean offer(int buffer, int lengthBytes) {
    return isClosed()
        || lengthBytes <= 0
        || events.onReceived(poller.receiveBuffers().received(buffer, lengthBytes));
  }

  /** There may be memory again for what is held. */
  @Override
  public void proceed() {
    proceeding = false;
    if (!isHolding()) {
      return;
    }
    while (wanted && isHolding() && !isClosed()) {
      Held first = held.getFirst();
      if (!offer(first.buffer(), first.lengthBytes())) {
        return;
      }
      if (isHolding()) {
        held.removeFirst();
        poller.receiveBuffers().giveBackWithheld(first.buffer());
      }
    }
    if (isHolding() || receive != NOT_SUBMITTED || isClosed()) {
      return;
    }
    receiveEnded(endBehindHeld);
    if (!isClosed()) {
      // What the poll may have told meanwhile could not be read.
      events.onReadable(false);
    }
  }

  private boolean isHolding() {
    return !held.isEmpty();
  }

  private void releaseHeld() {
    held.forEach(one -> poller.receiveBuffers().giveBackWithheld(one.buffer()));
    held.clear();
  }

  private void receiveEnded(int result) {
    if (isHolding()) {
      endBehindHeld = result;
      return;
    }
    if (result == IoResult.ENOBUFS && poller.receiveBuffers().isShort()) {
      // It may stay so for a while: plain calls need no buffer of the group.
      leaveRing();
    }
    boolean goesOn = result > 0 || result == IoResult.ENOBUFS || result == IoResult.ECANCELED;
    if (!goesOn) {
      onRing = false;
      // From here on only the peer's reset is to be noticed.
      watchConnected();
      events.onReceiveEnded(result);
    } else if (onRing) {
      armReceive();
    } else {
      watchConnected();
    }
  }

  @Override
  public void onUnhandled(Throwable cause) {
    events.onBroken(IoResult.EIO);
  }

  /** The ring's operations keep the socket open, so they end first. */
  @Override
  protected void release() {
    releaseHeld();
    cancel(readablePoll);
    if (!writableCancelling) {
      cancel(writablePoll);
    }
    cancel(send);
    if (!cancelling) {
      cancel(receive);
    }
    handle.whenQuiet(this::closeSocket);
  }

  private void cancel(long submission) {
    if (submission != NOT_SUBMITTED) {
      handle.cancel(submission);
    }
  }

  private void closeSocket() {
    context.called(1);
    try {
      socket.close();
    } catch (IOException e) {
      LOG.warn("closing {} failed", socket, e);
    }
    events.onReleased();
  }

  private int descriptor() {
    return socket.intValue();
  }
}
