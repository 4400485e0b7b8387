package io.penstock.shards.poller.uring;

import io.penstock.shards.core.OnShard;
import io.penstock.shards.poller.AcceptEvents;
import io.penstock.shards.poller.IoResult;
import io.penstock.shards.poller.fd.BoundSocket;
import io.penstock.shards.poller.fd.FdContext;
import io.penstock.shards.poller.fd.FdListenSocket;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A listening socket watched by polls on the ring. A poll, and not a multishot accept, because what
 * is accepted is then bounded a turn and stops at once when the listener closes.
 */
@OnShard
final class UringListenSocket extends FdListenSocket
    implements RingHandle.Completions, UringPoller.Continued {
  private static final Logger LOG = LoggerFactory.getLogger(UringListenSocket.class);
  private static final short POLL = 1;
  private static final long NOT_SUBMITTED = 0;

  private final UringPoller poller;
  private final RingHandle handle;
  private long poll = NOT_SUBMITTED;
  private boolean queued;
  private boolean unwatched;

  UringListenSocket(UringPoller poller, FdContext context, BoundSocket bound, AcceptEvents events)
      throws IOException {
    super(context, bound, events);
    this.poller = poller;
    this.handle = new RingHandle(poller, this);
    arm();
  }

  private void arm() {
    poll = handle.submit(RingOps.pollReadable(socket.intValue(), POLL));
  }

  @Override
  public void onCompletion(int tag, int result, int flags) {
    boolean more = (flags & RingOps.IORING_CQE_F_MORE) != 0;
    if (!more) {
      poll = NOT_SUBMITTED;
    }
    if (unwatched) {
      return;
    }
    if (result >= 0) {
      onReady();
    } else if (result != IoResult.ECANCELED) {
      LOG.error("polling {} failed: {}", local(), IoResult.describe(result));
    }
    if (!more && !unwatched) {
      // Ended by the kernel, as when the completion queue overflowed.
      arm();
    }
  }

  @Override
  public void onUnhandled(Throwable cause) {
    LOG.error("accepting on {} failed", local(), cause);
  }

  @Override
  protected void unwatch() {
    endPoll(() -> {});
  }

  /** The poll keeps the socket open until it ends; nobody connects to it before already. */
  @Override
  protected void closeSocket() {
    closeAddress();
    endPoll(this::closeDescriptor);
  }

  private void endPoll(Runnable then) {
    unwatched = true;
    if (poll != NOT_SUBMITTED) {
      handle.cancel(poll);
    }
    handle.whenQuiet(then);
  }

  private void closeDescriptor() {
    try {
      socket.close();
    } catch (IOException e) {
      LOG.warn("closing {} failed", socket, e);
    }
    closed();
  }

  @Override
  protected void continueLater() {
    if (!queued) {
      queued = true;
      poller.proceedLater(this);
    }
  }

  @Override
  public void proceed() {
    queued = false;
    onReady();
  }
}
