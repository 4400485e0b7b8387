package io.penstock.shards.os;

import java.io.IOException;

/** A system call that failed: which call, on what, with which error number. */
public final class ErrnoException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String call;
  private final int errno;

  ErrnoException(String call, int errno) {
    super(call + " failed: " + Errno.name(errno) + " (" + errno + ")");
    this.call = call;
    this.errno = errno;
  }

  /** The call with its arguments, for example {@code fchmod(7, 0600)}. */
  public String call() {
    return call;
  }

  public int errno() {
    return errno;
  }
}
