package io.penstock.shards.poller.uring;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoOps;
import io.penstock.shards.core.OnShard;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One descriptor's operations on the ring: submits them, hands out their completions, and knows
 * when the kernel has finished with all of them.
 */
@OnShard
final class RingHandle implements IoUringIoHandle {
  private static final Logger LOG = LoggerFactory.getLogger(RingHandle.class);

  /** What the descriptor's owner does with a completion. */
  interface Completions {
    void onCompletion(int tag, int result, int flags);

    /** A completion's handling threw. */
    void onUnhandled(Throwable cause);
  }

  /** The tag of cancels, whose own completions say nothing of interest. */
  static final short CANCEL = 0;

  private final UringPoller poller;
  private final Completions completions;
  private final IoRegistration registration;
  private int outstanding;
  private Runnable whenQuiet;

  RingHandle(UringPoller poller, Completions completions) throws IOException {
    this.poller = poller;
    this.completions = completions;
    this.registration = poller.register(this);
  }

  /** Queues an operation; it leaves with the next poll. Returns the number to cancel it by. */
  long submit(IoUringIoOps operation) {
    assert whenQuiet == null : "submitted while closing";
    outstanding++;
    poller.submitted();
    return registration.submit(operation);
  }

  /** Asks the kernel to end an operation; its completion still comes. */
  void cancel(long submission) {
    submit(RingOps.cancel(submission, CANCEL));
  }

  /** Runs the action once no operation is outstanding, at once if none is; nothing may follow. */
  void whenQuiet(Runnable action) {
    if (outstanding == 0) {
      registration.cancel();
      action.run();
    } else {
      whenQuiet = action;
    }
  }

  @Override
  public void handle(IoRegistration ignored, IoEvent event) {
    IoUringIoEvent completion = (IoUringIoEvent) event;
    int flags = completion.flags();
    if ((flags & RingOps.IORING_CQE_F_MORE) == 0) {
      outstanding--;
      poller.completed();
    }
    int tag = (int) completion.userData();
    try {
      if (tag != CANCEL) {
        completions.onCompletion(tag, completion.res(), flags);
      }
      if (outstanding == 0 && whenQuiet != null) {
        Runnable action = whenQuiet;
        whenQuiet = null;
        // Netty forgets the registration after this completion, the last one.
        registration.cancel();
        action.run();
      }
    } catch (Throwable t) {
      // Netty would sleep on the shard.
      LOG.error("a completion was not handled", t);
      completions.onUnhandled(t);
    }
  }

  /** Called by Netty for handles that are left when the poller ends; by then there are none. */
  @Override
  public void close() {
    LOG.warn("{} operations were outstanding when the ring was closed", outstanding);
  }
}
