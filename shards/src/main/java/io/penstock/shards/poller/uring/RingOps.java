package io.penstock.shards.poller.uring;

import io.netty.channel.uring.IoUringIoOps;

/**
 * The ring's operations that Penstock submits, by the kernel's numbers (linux/io_uring.h; the
 * kernel that brought each is named).
 */
final class RingOps {
  private static final byte IORING_OP_POLL_ADD = 6; // 5.1
  private static final byte IORING_OP_ASYNC_CANCEL = 14; // 5.5

  private static final byte IORING_OP_SEND = 26; // 5.6
  private static final byte IORING_OP_RECV = 27; // 5.6
  private static final byte IORING_OP_PROVIDE_BUFFERS = 31; // 5.7

  /** In an operation's flags: the kernel chooses the buffer from a group (5.7). */
  private static final byte IOSQE_BUFFER_SELECT = 1 << 5;

  /** In the priority of a receive: completes again and again (6.0). */
  private static final short IORING_RECV_MULTISHOT = 1 << 1;

  /** In a completion's flags: the kernel chose a buffer, its number is in the upper half. */
  private static final int IORING_CQE_F_BUFFER = 1;

  private static final int IORING_CQE_BUFFER_SHIFT = 16;

  /** send(2): no signal when the peer is gone. */
  private static final int MSG_NOSIGNAL = 0x4000;

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

  /**
   * Completes each time there is room to send again. Not once: the kernel adds POLLRDHUP to what is
   * asked for, so that behind a peer that finished a poll is complete at once, room or not.
   */
  static IoUringIoOps pollWritable(int descriptor, short tag) {
    return poll(descriptor, POLLOUT, IORING_POLL_ADD_MULTI, tag);
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

  /** Receives again and again, into buffers of that group. */
  static IoUringIoOps receive(int descriptor, short group, short tag) {
    return new IoUringIoOps(
        IORING_OP_RECV,
        IOSQE_BUFFER_SELECT,
        IORING_RECV_MULTISHOT,
        descriptor,
        0L,
        0L,
        0,
        0,
        (long) tag,
        group,
        NONE,
        0,
        0L);
  }

  /** Sends once; may take less than it was given. */
  static IoUringIoOps send(int descriptor, long address, int lengthBytes, short tag) {
    return new IoUringIoOps(
        IORING_OP_SEND,
        NO_FLAGS,
        NONE,
        descriptor,
        0L,
        address,
        lengthBytes,
        MSG_NOSIGNAL,
        (long) tag,
        NONE,
        NONE,
        0,
        0L);
  }

  /** Gives buffers that follow each other, numbered from the first, to a group. */
  static IoUringIoOps provide(
      long address, int bufferBytes, int first, int count, short group, short tag) {
    return new IoUringIoOps(
        IORING_OP_PROVIDE_BUFFERS,
        NO_FLAGS,
        NONE,
        count,
        (long) first,
        address,
        bufferBytes,
        0,
        (long) tag,
        group,
        NONE,
        0,
        0L);
  }

  static boolean hasBuffer(int flags) {
    return (flags & IORING_CQE_F_BUFFER) != 0;
  }

  static int buffer(int flags) {
    return flags >>> IORING_CQE_BUFFER_SHIFT;
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
