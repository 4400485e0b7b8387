package io.penstock.shards.poller;

import io.penstock.shards.os.Errno;

/**
 * What a receive or a write answers besides a count of bytes: a negated errno, so that the hot path
 * needs no exception. Numbers from asm-generic/errno-base.h and errno.h of Linux; they are the same
 * on x86_64 and aarch64.
 */
public final class IoResult {
  /** Nothing there, or no room: wait for the event. */
  public static final int WOULD_BLOCK = -11;

  /** The kernel works on it; {@link SocketEvents#onWritten} brings the result. */
  public static final int PENDING = Integer.MIN_VALUE;

  public static final int ENOENT = -2;
  public static final int EIO = -5;
  public static final int ENOMEM = -12;
  public static final int EACCES = -13;
  public static final int ENFILE = -23;
  public static final int EMFILE = -24;
  public static final int EPIPE = -32;
  public static final int EADDRINUSE = -98;
  public static final int EADDRNOTAVAIL = -99;
  public static final int ECONNABORTED = -103;
  public static final int ECONNRESET = -104;
  public static final int ENOBUFS = -105;
  public static final int ENOTCONN = -107;
  public static final int ETIMEDOUT = -110;
  public static final int ECONNREFUSED = -111;
  public static final int ECANCELED = -125;

  private IoResult() {}

  /** True for the results that mean that the peer is gone without a word. */
  public static boolean isReset(int result) {
    return result == ECONNRESET || result == EPIPE || result == ECONNABORTED;
  }

  /** A sentence for a result that is a failure. */
  public static String describe(int result) {
    return switch (result) {
      case ECONNRESET -> "connection reset by peer (ECONNRESET)";
      case EPIPE -> "broken pipe (EPIPE)";
      case ECONNABORTED -> "connection aborted (ECONNABORTED)";
      case ETIMEDOUT -> "peer does not answer (ETIMEDOUT)";
      case ECONNREFUSED -> "connection refused (ECONNREFUSED)";
      case ENOTCONN -> "not connected (ENOTCONN)";
      case EIO -> "input/output error (EIO)";
      case EADDRINUSE -> "address already in use (EADDRINUSE)";
      case EADDRNOTAVAIL -> "no address of this host (EADDRNOTAVAIL)";
      case EACCES -> "permission denied (EACCES)";
      case ENOENT -> "no such file or directory (ENOENT)";
      default -> Errno.name(-result);
    };
  }
}
