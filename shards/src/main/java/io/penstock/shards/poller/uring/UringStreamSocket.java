package io.penstock.shards.poller.uring;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.poller.IoResult;
import io.penstock.shards.poller.SocketEvents;
import io.penstock.shards.poller.fd.FdContext;
import io.penstock.shards.poller.fd.FdSocket;
import io.penstock.shards.poller.fd.FdStreamSocket;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A stream socket watched by polls on the ring. */
@OnShard
final class UringStreamSocket extends FdStreamSocket implements RingHandle.Completions {
  private static final Logger LOG = LoggerFactory.getLogger(UringStreamSocket.class);

  private static final short POLL_READABLE = 1;
  private static final short POLL_WRITABLE = 2;

  private static final long NOT_SUBMITTED = 0;

  private final RingHandle handle;
  private long readablePoll = NOT_SUBMITTED;
  private long writablePoll = NOT_SUBMITTED;

  UringStreamSocket(
      UringPoller poller,
      FdContext context,
      FdSocket socket,
      SocketEvents events,
      Endpoint remote,
      boolean connecting)
      throws IOException {
    super(context, socket, events, remote, connecting);
    handle = new RingHandle(poller, this);
    if (connecting) {
      armWritable(true);
    } else {
      watchConnected();
    }
  }

  @Override
  protected void watchConnected() {
    readablePoll = handle.submit(RingOps.pollReadable(socket.intValue(), POLL_READABLE));
  }

  /** A poll for room completes once, so there is nothing to take back. */
  @Override
  protected void armWritable(boolean armed) {
    if (armed && writablePoll == NOT_SUBMITTED) {
      writablePoll = handle.submit(RingOps.pollWritable(socket.intValue(), POLL_WRITABLE));
    }
  }

  @Override
  public void onCompletion(int tag, int result, int flags) {
    boolean more = (flags & RingOps.IORING_CQE_F_MORE) != 0;
    if (tag == POLL_READABLE && !more) {
      readablePoll = NOT_SUBMITTED;
    } else if (tag == POLL_WRITABLE) {
      writablePoll = NOT_SUBMITTED;
    }
    if (isClosed()) {
      return;
    }
    if (result >= 0) {
      onReady(result);
    } else if (result != IoResult.ECANCELED) {
      events.onBroken(result);
    }
    if (tag == POLL_READABLE && !more && !isClosed()) {
      // Ended by the kernel, as when the completion queue overflowed.
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
    if (readablePoll != NOT_SUBMITTED) {
      handle.cancel(readablePoll);
    }
    if (writablePoll != NOT_SUBMITTED) {
      handle.cancel(writablePoll);
    }
    handle.whenQuiet(this::closeSocket);
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
}
