package io.penstock.shards.testing;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import io.penstock.shards.os.Libc;

/**
 * Interrupts the system calls of a thread, as profilers and debuggers do, by a signal that nothing
 * else here uses and whose handler does nothing that matters.
 */
public final class Signals {
  private static final int SIGURG = 23; // signal(7)

  static {
    Native.register(Signals.class, NativeLibrary.getProcess());
    // A handler, so that a call under way ends; an ignored signal would not be noticed.
    signal(SIGURG, NativeLibrary.getProcess().getFunction("getpid"));
  }

  private Signals() {}

  private static native Pointer signal(int number, Pointer handler);

  private static native int tgkill(int process, int thread, int number);

  /** One signal to the thread with that number, see {@link Libc#gettid()}. */
  public static void interruptCallOf(int thread) {
    int result = tgkill((int) ProcessHandle.current().pid(), thread, SIGURG);
    if (result != 0) {
      throw new IllegalStateException("tgkill of thread " + thread + " gave " + result);
    }
  }
}
