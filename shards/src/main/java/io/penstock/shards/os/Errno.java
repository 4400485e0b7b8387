package io.penstock.shards.os;

import java.util.Map;

/** Error numbers as words. Any thread; no state. */
public final class Errno {
  private static final Map<Integer, String> NAMES =
      Map.ofEntries(
          Map.entry(LinuxConstants.EPERM, "EPERM"),
          Map.entry(LinuxConstants.ENOENT, "ENOENT"),
          Map.entry(LinuxConstants.ESRCH, "ESRCH"),
          Map.entry(LinuxConstants.EINTR, "EINTR"),
          Map.entry(LinuxConstants.EIO, "EIO"),
          Map.entry(LinuxConstants.EBADF, "EBADF"),
          Map.entry(LinuxConstants.EAGAIN, "EAGAIN"),
          Map.entry(LinuxConstants.ENOMEM, "ENOMEM"),
          Map.entry(LinuxConstants.EACCES, "EACCES"),
          Map.entry(LinuxConstants.EFAULT, "EFAULT"),
          Map.entry(LinuxConstants.EBUSY, "EBUSY"),
          Map.entry(LinuxConstants.EEXIST, "EEXIST"),
          Map.entry(LinuxConstants.ENOTDIR, "ENOTDIR"),
          Map.entry(LinuxConstants.EISDIR, "EISDIR"),
          Map.entry(LinuxConstants.EINVAL, "EINVAL"),
          Map.entry(LinuxConstants.ENFILE, "ENFILE"),
          Map.entry(LinuxConstants.EMFILE, "EMFILE"),
          Map.entry(LinuxConstants.ENOSPC, "ENOSPC"),
          Map.entry(LinuxConstants.EROFS, "EROFS"),
          Map.entry(LinuxConstants.EPIPE, "EPIPE"),
          Map.entry(LinuxConstants.ENAMETOOLONG, "ENAMETOOLONG"),
          Map.entry(LinuxConstants.ENOSYS, "ENOSYS"),
          Map.entry(LinuxConstants.ELOOP, "ELOOP"),
          Map.entry(LinuxConstants.EOPNOTSUPP, "EOPNOTSUPP"),
          Map.entry(LinuxConstants.EADDRINUSE, "EADDRINUSE"),
          Map.entry(LinuxConstants.EADDRNOTAVAIL, "EADDRNOTAVAIL"),
          Map.entry(LinuxConstants.ECONNRESET, "ECONNRESET"),
          Map.entry(LinuxConstants.ENOBUFS, "ENOBUFS"),
          Map.entry(LinuxConstants.ETIMEDOUT, "ETIMEDOUT"),
          Map.entry(LinuxConstants.ECONNREFUSED, "ECONNREFUSED"));

  private Errno() {}

  /**
   * The symbolic name of a positive error number, or {@code errno N} for one that is not in {@link
   * LinuxConstants}.
   */
  public static String name(int errno) {
    String name = NAMES.get(errno);
    return name == null ? "errno " + errno : name;
  }

  /** The number of a symbolic name such as {@code EPERM}. */
  public static int valueOf(String name) {
    for (Map.Entry<Integer, String> entry : NAMES.entrySet()) {
      if (entry.getValue().equals(name)) {
        return entry.getKey();
      }
    }
    throw new IllegalArgumentException("unknown errno name '" + name + "'");
  }
}
