package io.penstock.examples.smoke.report;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Heap that the process has taken. */
final class Allocation {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private Allocation() {}

  /** Bytes taken so far by all threads that are alive, whoever reports among them. */
  static long bytes() {
    long sum = 0;
    for (long bytes : THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds())) {
      // -1 for one that has ended meanwhile.
      sum += Math.max(0, bytes);
    }
    return sum;
  }
}
