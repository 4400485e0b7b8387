package io.penstock.shards.os;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/**
 * The C functions themselves, bound when this class is initialised. Names and parameters are those
 * of the man pages; {@code size_t} and {@code long} are Java {@code long}, since only 64-bit
 * systems are supported. Variadic functions are bound with the fixed arguments that are used here,
 * which on x86_64 and aarch64 Linux travel in the same registers.
 */
@SuppressWarnings("MemberName") // the names are those of the C library
final class LibcBinding {
  static {
    // The process itself rather than a file name: finds the C library that the JVM runs on,
    // whichever it is.
    Native.register(LibcBinding.class, NativeLibrary.getProcess());
  }

  private LibcBinding() {}

  /** Forces the binding; any failure of JNA leaves from here. */
  static void load() {
    assert Native.POINTER_SIZE == Long.BYTES : "pointers have " + Native.POINTER_SIZE + " bytes";
  }

  /** The error number that the last of these calls left on this thread. */
  static int lastErrno() {
    return Native.getLastError();
  }

  static native int sched_setaffinity(int pid, long maskSizeBytes, long[] mask);

  static native int sched_getaffinity(int pid, long maskSizeBytes, long[] mask);

  static native int fcntl(int fd, int command, long argument);

  static native int fchmod(int fd, int mode);

  static native int bind(int fd, byte[] address, int addressSizeBytes);

  static native int unlink(byte[] path);

  static native int statx(int directoryFd, byte[] path, int flags, int mask, byte[] result);

  static native int close(int fd);

  static native int madvise(long address, long lengthBytes, int advice);

  static native int getpid();

  static native long syscall(long number, long first, byte[] second);
}
