package io.penstock.shards.os;

/**
 * Numbers of the Linux kernel's interface, each group with the header (and man page) that defines
 * it. The values hold on x86_64 and aarch64; the few that differ between the two are methods of the
 * architecture.
 */
public final class LinuxConstants {
  // <asm-generic/fcntl.h>, <linux/fcntl.h>; fcntl(2)
  public static final int F_GETFL = 3;
  public static final int F_SETFL = 4;
  public static final int F_DUPFD_CLOEXEC = 1030;
  public static final int O_NONBLOCK = 0x800;

  // <linux/fcntl.h>; statx(2)
  public static final int AT_FDCWD = -100;
  public static final int AT_SYMLINK_NOFOLLOW = 0x100;

  // <linux/stat.h>; statx(2), inode(7)
  public static final int STATX_TYPE = 0x1;
  public static final int STATX_MODE = 0x2;
  public static final int STATX_INO = 0x100;
  public static final int S_IFMT = 0xF000;
  public static final int S_IFSOCK = 0xC000;
  static final int STATX_SIZE_BYTES = 256;
  static final int STATX_OFFSET_MODE = 28;
  static final int STATX_OFFSET_INODE = 32;
  static final int STATX_OFFSET_DEVICE_MAJOR = 136;
  static final int STATX_OFFSET_DEVICE_MINOR = 140;

  // <bits/socket.h>, <linux/un.h>; unix(7)
  static final short AF_UNIX = 1;
  static final int SUN_PATH_OFFSET = 2;
  static final int SUN_PATH_SIZE_BYTES = 108;

  // <asm-generic/unistd.h> and arch/x86/entry/syscalls/syscall_64.tbl; syscalls(2)
  static final int SYS_IO_URING_SETUP = 425;
  private static final int SYS_GETTID_X86_64 = 186;
  private static final int SYS_GETTID_GENERIC = 178;

  // <asm-generic/mman-common.h>, madvise(2)
  static final int MADV_DONTNEED = 4;

  // <asm/page.h>: aarch64 kernels are built with 4, 16 or 64 KiB, x86_64 has 4 KiB
  static final long PAGE_BYTES_X86_64 = 1 << 12;
  static final long LARGEST_PAGE_BYTES = 1 << 16;

  // <linux/io_uring.h>; io_uring_setup(2)
  static final int IO_URING_PARAMS_SIZE_BYTES = 120;

  // <asm-generic/errno-base.h>, <asm-generic/errno.h>; errno(3)
  public static final int EPERM = 1;
  public static final int ENOENT = 2;
  public static final int ESRCH = 3;
  public static final int EINTR = 4;
  public static final int EIO = 5;
  public static final int EBADF = 9;
  public static final int EAGAIN = 11;
  public static final int ENOMEM = 12;
  public static final int EACCES = 13;
  public static final int EFAULT = 14;
  public static final int EBUSY = 16;
  public static final int EEXIST = 17;
  public static final int ENOTDIR = 20;
  public static final int EISDIR = 21;
  public static final int EINVAL = 22;
  public static final int ENFILE = 23;
  public static final int EMFILE = 24;
  public static final int ENOSPC = 28;
  public static final int EROFS = 30;
  public static final int EPIPE = 32;
  public static final int ENAMETOOLONG = 36;
  public static final int ENOSYS = 38;
  public static final int ELOOP = 40;
  public static final int EOPNOTSUPP = 95;
  public static final int EADDRINUSE = 98;
  public static final int EADDRNOTAVAIL = 99;
  public static final int ECONNRESET = 104;
  public static final int ENOBUFS = 105;
  public static final int ETIMEDOUT = 110;
  public static final int ECONNREFUSED = 111;

  private LinuxConstants() {}

  static int sysGettid() {
    return Platform.isX86() ? SYS_GETTID_X86_64 : SYS_GETTID_GENERIC;
  }
}
