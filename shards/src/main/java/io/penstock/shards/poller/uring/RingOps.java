package io.penstock.shards.poller.uring;

import io.netty.channel.uring.IoUringIoOps;

/**
 * The ring's operations that Penstock submits, by the kernel's numbers (linux/io_uring.h; the
 * kernel that brought each is named).
 */
final class RingOps {
  private static final byte IORING_OP_POLL_ADD = 6; // 5.1
  private static final byte IORING_OP_ASYNC_CANCEL = 14; // 5.5

  /** In the length of a poll: completes again and again (5.13). */
  private static final int IORING_POLL_ADD_MULTI = 1;

  /** In a completion's flags: more of the same operation will follow (5.13). */
  static final int IORING_CQE_F_MORE = 1 << 1;

  private static final int POLLIN = 0x001;
  private static final int POLLOUT = 0x004;
  private static final int POLLRDHUP = 0x2000;

  private static final byte NO_FLAGS = 0;
  private static final short NONE = 0;

  private RingOps() {}

  /** Completes each time there is something to receive, or the peer ends. */
  static IoUringIoOps pollReadable(int descriptor, short tag) {
    return poll(descriptor, POLLIN | POLLRDHUP, IORING_POLL_ADD_MULTI, tag);
  }

  /** Completes once, when there is room to send. */
  static IoUringIoOps pollWritable(int descriptor, short tag) {
    return poll(descriptor, POLLOUT, 0, tag);
  }

  /** Ends another operation of the same socket, known by the number its submit gave. */
  static IoUringIoOps cancel(long submission, short tag) {
    return new IoUringIoOps(
        IORING_OP_ASYNC_CANCEL,
        NO_FLAGS,
        NONE,
        -1,
        0L,
        submission,
        0,
        0,
        (long) tag,
        NONE,
        NONE,
        0,
        0L);
  }

  private static IoUringIoOps poll(int descriptor, int events, int flags, short tag) {
    return new IoUringIoOps(
        IORING_OP_POLL_ADD,
        NO_FLAGS,
        NONE,
        descriptor,
        0L,
        0L,
        flags,
        events,
        (long) tag,
        NONE,
        NONE,
        0,
        0L);
  }
}
