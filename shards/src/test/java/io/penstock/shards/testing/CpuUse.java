package io.penstock.shards.testing;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** CPU time of the whole process over wall time. */
public final class CpuUse {
  /** Idle is under this part of one CPU. */
  private static final double IDLE = 0.05;

  private static final int WINDOWS = 10;

  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private CpuUse() {}

  /**
   * Fails unless the process is idle for one of some windows of that length. Compilers and
   * collectors go on for a while after what kept them busy; something that spins never stops.
   */
  public static void requireIdle(Duration window) throws InterruptedException {
    double least = Double.MAX_VALUE;
    for (int i = 0; i < WINDOWS; i++) {
      least = Math.min(least, over(window));
      if (least < IDLE) {
        return;
      }
    }
    throw new AssertionError(
        "the process is not idle: it used %.0f %% of a CPU in the best of %d windows of %s"
            .formatted(least * 100, WINDOWS, window));
  }

  /** CPUs used over a window that begins now. */
  private static double over(Duration window) throws InterruptedException {
    long cpuBefore = PROCESS.getProcessCpuTime();
    long before = System.nanoTime();
    TimeUnit.NANOSECONDS.sleep(window.toNanos()); // The time measured, not a wait for something.
    return (double) (PROCESS.getProcessCpuTime() - cpuBefore) / (System.nanoTime() - before);
  }
}
