package io.penstock.shards.testing;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;

/**
 * Makes the kernel refuse a system call, as a container's filter does. It holds for the calling
 * thread and those that it starts afterwards, for good: use it on a thread, or in a {@link
 * ForkedJvm}, made for the purpose.
 */
public final class Seccomp {
  public static final int IO_URING_SETUP = 425; // <asm-generic/unistd.h>, on every architecture
  public static final int IO_URING_REGISTER = 427;

  // <linux/prctl.h>, <linux/seccomp.h>; prctl(2), seccomp(2)
  private static final int PR_SET_SECCOMP = 22;
  private static final int PR_SET_NO_NEW_PRIVS = 38;
  private static final int SECCOMP_MODE_FILTER = 2;
  private static final int SECCOMP_RET_ERRNO = 0x00050000;
  private static final int SECCOMP_RET_ALLOW = 0x7fff0000;

  // <linux/bpf_common.h>, <linux/filter.h>
  private static final int LOAD_WORD = 0x20;
  private static final int JUMP_IF_EQUAL = 0x15;
  private static final int RETURN = 0x06;
  private static final int INSTRUCTION_BYTES = 8;
  private static final int INSTRUCTIONS = 4;

  static {
    Native.register(Seccomp.class, NativeLibrary.getProcess());
  }

  private Seccomp() {}

  private static native int prctl(int option, long first, Pointer second, long third, long fourth);

  /** From now on {@code systemCall} fails with this error number on this thread. */
  public static void refuse(int systemCall, int errno) {
    try (Memory filter = new Memory((long) INSTRUCTIONS * INSTRUCTION_BYTES);
        Memory program = new Memory(16)) {
      instruction(filter, 0, LOAD_WORD, 0, 0); // the number of the call
      instruction(filter, 1, JUMP_IF_EQUAL, 1, systemCall);
      instruction(filter, 2, RETURN, 0, SECCOMP_RET_ERRNO | errno);
      instruction(filter, 3, RETURN, 0, SECCOMP_RET_ALLOW);
      program.clear();
      program.setShort(0, (short) INSTRUCTIONS);
      program.setPointer(8, filter);
      require(prctl(PR_SET_NO_NEW_PRIVS, 1, null, 0, 0), "PR_SET_NO_NEW_PRIVS");
      require(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0), "PR_SET_SECCOMP");
    }
  }

  /** A jump leads over no instruction if the values are not equal. */
  private static void instruction(Memory filter, int index, int code, int ifNotEqual, int value) {
    long offset = (long) index * INSTRUCTION_BYTES;
    filter.setShort(offset, (short) code);
    filter.setByte(offset + 2, (byte) 0);
    filter.setByte(offset + 3, (byte) ifNotEqual);
    filter.setInt(offset + 4, value);
  }

  private static void require(int result, String option) {
    if (result != 0) {
      throw new IllegalStateException(
          "prctl(" + option + ") failed with errno " + Native.getLastError());
    }
  }
}
