package io.penstock.shards.os;

import static io.penstock.shards.os.LinuxConstants.AT_FDCWD;
import static io.penstock.shards.os.LinuxConstants.AT_SYMLINK_NOFOLLOW;
import static io.penstock.shards.os.LinuxConstants.EINVAL;
import static io.penstock.shards.os.LinuxConstants.F_DUPFD_CLOEXEC;
import static io.penstock.shards.os.LinuxConstants.F_GETFL;
import static io.penstock.shards.os.LinuxConstants.F_SETFL;
import static io.penstock.shards.os.LinuxConstants.LARGEST_PAGE_BYTES;
import static io.penstock.shards.os.LinuxConstants.MADV_DONTNEED;
import static io.penstock.shards.os.LinuxConstants.O_NONBLOCK;
import static io.penstock.shards.os.LinuxConstants.PAGE_BYTES_X86_64;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The C library, as far as we call it ourselves: the one place of native calls in this project.
 *
 * <p>Any thread may call it; the affinity calls concern the calling thread. Descriptors stay the
 * caller's. Nothing is loaded before the first call. Where the library cannot be reached, {@link
 * #unavailableReason()} says why and every other method throws {@link
 * UnsupportedOperationException} with that reason; a call that the kernel refuses throws {@link
 * ErrnoException}.
 */
public final class Libc {
  private static final int FIRST_MASK_WORDS = 16; // 1,024 CPUs, the size of glibc's cpu_set_t
  private static final int MAX_MASK_WORDS = 1024; // far above the kernel's largest NR_CPUS, 8,192

  private Libc() {}

  /** Loads on first use; the JVM's class initialisation makes that happen once. */
  private static final class Availability {
    static final String REASON = load();

    private static String load() {
      String unsupported = Platform.unsupportedReason();
      if (unsupported != null) {
        return "calling the C library " + unsupported;
      }
      try {
        LibcBinding.load();
        return null;
      } catch (VirtualMachineError e) {
        throw e;
      } catch (Throwable e) {
        // Not only LinkageError: JNA throws a plain Error for a native library of another version.
        return NativeLoadFailure.reason("JNA", e);
      }
    }
  }

  /** Null if native calls can be made, else one sentence that says why not. */
  public static String unavailableReason() {
    return Availability.REASON;
  }

  /** The CPUs that the calling thread may run on. */
  public static BitSet threadAffinity() throws IOException {
    return affinity(0);
  }

  /**
   * The CPUs of the process's first thread. Threads inherit the set of the thread that creates
   * them, so that a caller that is pinned itself, or was started by one that is, still learns here
   * what the process was given.
   */
  public static BitSet processAffinity() throws IOException {
    requireAvailable();
    return affinity(LibcBinding.getpid());
  }

  /**
   * Confines the calling thread to these CPUs; the kernel silently leaves out those that the
   * process may not use.
   */
  public static void setThreadAffinity(BitSet cpus) throws IOException {
    setThreadAffinity(0, cpus);
  }

  /** As {@link #setThreadAffinity(BitSet)} for a thread of this process by its kernel number. */
  public static void setThreadAffinity(int tid, BitSet cpus) throws IOException {
    requireAvailable();
    if (cpus.isEmpty()) {
      throw new IllegalArgumentException("the set of CPUs is empty");
    }
    long[] mask = cpus.toLongArray();
    if (LibcBinding.sched_setaffinity(tid, (long) mask.length * Long.BYTES, mask) != 0) {
      throw failed("sched_setaffinity(" + tid + ", " + cpus + ")");
    }
  }

  /**
   * Gives the whole pages between these addresses to the system: they keep their addresses and read
   * as zero from now on. Never throws.
   *
   * @return false where the kernel or this process does not let it
   */
  public static boolean tryDiscardPages(long address, long lengthBytes) {
    if (unavailableReason() != null) {
      return false;
    }
    long pageBytes = Platform.isX86() ? PAGE_BYTES_X86_64 : LARGEST_PAGE_BYTES;
    long from = (address + pageBytes - 1) & -pageBytes;
    long to = (address + lengthBytes) & -pageBytes;
    return to > from && LibcBinding.madvise(from, to - from, MADV_DONTNEED) == 0;
  }

  /** Sets O_NONBLOCK on the open file description. */
  public static void setNonBlocking(int fd) throws IOException {
    requireAvailable();
    int flags = LibcBinding.fcntl(fd, F_GETFL, 0);
    if (flags < 0) {
      throw failed("fcntl(" + fd + ", F_GETFL)");
    }
    if ((flags & O_NONBLOCK) == 0 && LibcBinding.fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
      throw failed("fcntl(" + fd + ", F_SETFL, O_NONBLOCK)");
    }
  }

  public static boolean isNonBlocking(int fd) throws IOException {
    requireAvailable();
    int flags = LibcBinding.fcntl(fd, F_GETFL, 0);
    if (flags < 0) {
      throw failed("fcntl(" + fd + ", F_GETFL)");
    }
    return (flags & O_NONBLOCK) != 0;
  }

  /** A second descriptor of the same open file, closed on exec; the caller owns it. */
  public static int duplicate(int fd) throws IOException {
    requireAvailable();
    int copy = LibcBinding.fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) {
      throw failed("fcntl(" + fd + ", F_DUPFD_CLOEXEC)");
    }
    return copy;
  }

  /** Between socket and bind, this decides the mode of a Unix socket's file without a race. */
  public static void fchmod(int fd, int mode) throws IOException {
    requireAvailable();
    if (LibcBinding.fchmod(fd, mode) != 0) {
      throw failed("fchmod(" + fd + ", 0" + Integer.toOctalString(mode) + ")");
    }
  }

  /**
   * Binds a Unix socket to a path, which must be free: unlike some libraries, this deletes nothing
   * that is there. {@code path} is in the file system's encoding and holds no NUL.
   */
  public static void bindUnix(int fd, byte[] path) throws IOException {
    requireAvailable();
    byte[] name = cString(path);
    if (name.length > LinuxConstants.SUN_PATH_SIZE_BYTES) {
      throw new IllegalArgumentException(
          "a Unix socket's path has %d bytes, at most %d fit: %s"
              .formatted(path.length, LinuxConstants.SUN_PATH_SIZE_BYTES - 1, printable(path)));
    }
    ByteBuffer address =
        ByteBuffer.allocate(LinuxConstants.SUN_PATH_OFFSET + name.length)
            .order(ByteOrder.nativeOrder());
    address.putShort(LinuxConstants.AF_UNIX).put(name);
    if (LibcBinding.bind(fd, address.array(), address.capacity()) != 0) {
      throw failed("bind(" + fd + ", " + printable(path) + ")");
    }
  }

  /** Removes a name; {@code path} is in the file system's encoding and holds no NUL. */
  public static void unlink(byte[] path) throws IOException {
    requireAvailable();
    if (LibcBinding.unlink(cString(path)) != 0) {
      throw failed("unlink(" + printable(path) + ")");
    }
  }

  /** What a path names, a symbolic link itself and not its target; ENOENT if nothing. */
  public static FileIdentity lstat(byte[] path) throws IOException {
    return stat(path, AT_SYMLINK_NOFOLLOW, "lstat");
  }

  /** What a path names, symbolic links followed; ENOENT if nothing. */
  public static FileIdentity stat(byte[] path) throws IOException {
    return stat(path, 0, "stat");
  }

  /**
   * Closes a descriptor that the caller owns. It is gone even if this throws, and must not be
   * closed again.
   */
  public static void close(int fd) throws IOException {
    requireAvailable();
    if (LibcBinding.close(fd) != 0) {
      throw failed("close(" + fd + ")");
    }
  }

  public static int getpid() {
    requireAvailable();
    return LibcBinding.getpid();
  }

  /** The kernel's number of the calling thread, as in {@code /proc/self/task}. */
  public static int gettid() {
    requireAvailable();
    return (int) LibcBinding.syscall(LinuxConstants.sysGettid(), 0, null);
  }

  /**
   * Makes an io_uring of the smallest size and closes it at once.
   *
   * @return 0 if the kernel made it, else the error number
   */
  public static int tryIoUringSetup() throws IOException {
    requireAvailable();
    long fd =
        LibcBinding.syscall(
            LinuxConstants.SYS_IO_URING_SETUP,
            1,
            new byte[LinuxConstants.IO_URING_PARAMS_SIZE_BYTES]);
    if (fd < 0) {
      return LibcBinding.lastErrno();
    }
    close((int) fd);
    return 0;
  }

  private static BitSet affinity(int pid) throws IOException {
    requireAvailable();
    for (int words = FIRST_MASK_WORDS; ; words *= 2) {
      long[] mask = new long[words];
      if (LibcBinding.sched_getaffinity(pid, (long) words * Long.BYTES, mask) == 0) {
        return BitSet.valueOf(mask);
      }
      // EINVAL: the kernel knows more CPUs than the mask has bits.
      if (LibcBinding.lastErrno() != EINVAL || words >= MAX_MASK_WORDS) {
        throw failed("sched_getaffinity(" + pid + ")");
      }
    }
  }

  private static FileIdentity stat(byte[] path, int flags, String call) throws IOException {
    requireAvailable();
    // statx rather than stat: its result has one layout on every architecture.
    byte[] result = new byte[LinuxConstants.STATX_SIZE_BYTES];
    int wanted = LinuxConstants.STATX_TYPE | LinuxConstants.STATX_MODE | LinuxConstants.STATX_INO;
    if (LibcBinding.statx(AT_FDCWD, cString(path), flags, wanted, result) != 0) {
      throw failed(call + "(" + printable(path) + ")");
    }
    ByteBuffer fields = ByteBuffer.wrap(result).order(ByteOrder.nativeOrder());
    return new FileIdentity(
        device(
            fields.getInt(LinuxConstants.STATX_OFFSET_DEVICE_MAJOR),
            fields.getInt(LinuxConstants.STATX_OFFSET_DEVICE_MINOR)),
        fields.getLong(LinuxConstants.STATX_OFFSET_INODE),
        Short.toUnsignedInt(fields.getShort(LinuxConstants.STATX_OFFSET_MODE)));
  }

  /**
   * The C library's encoding of a device number, makedev(3), so that it equals what the JDK
   * reports.
   */
  static long device(int major, int minor) {
    return ((major & 0xfffff000L) << 32)
        | ((major & 0xfffL) << 8)
        | ((minor & 0xffffff00L) << 12)
        | (minor & 0xffL);
  }

  private static byte[] cString(byte[] path) {
    for (byte b : path) {
      if (b == 0) {
        throw new IllegalArgumentException("path " + printable(path) + " contains a NUL byte");
      }
    }
    return Arrays.copyOf(path, path.length + 1);
  }

  private static String printable(byte[] path) {
    StringBuilder text = new StringBuilder(path.length);
    for (byte b : path) {
      text.append(b >= ' ' && b < 0x7f ? String.valueOf((char) b) : String.format("\\x%02x", b));
    }
    return text.toString();
  }

  private static ErrnoException failed(String call) {
    return new ErrnoException(call, LibcBinding.lastErrno());
  }

  private static void requireAvailable() {
    if (Availability.REASON != null) {
      throw new UnsupportedOperationException(Availability.REASON);
    }
  }
}
