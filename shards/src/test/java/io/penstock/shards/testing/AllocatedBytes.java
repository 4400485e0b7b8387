package io.penstock.shards.testing;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** How much heap the calling thread takes. */
public final class AllocatedBytes {

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private AllocatedBytes() {}

  /**
   * The bytes that repeating an action takes, after as many repetitions to warm up: code that is
   * not compiled yet allocates what compiled code does not.
   */
  public static long whileRepeating(int count, Runnable action) {
    for (int i = 0; i < count; i++) {
      action.run();
    }
    long before = THREADS.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < count; i++) {
      action.run();
    }
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }
}
