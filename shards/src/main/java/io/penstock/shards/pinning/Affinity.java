package io.penstock.shards.pinning;

import io.penstock.shards.os.Libc;
import java.io.IOException;
import java.util.BitSet;

/**
 * Pins threads. Each method acts on the thread that calls it.
 *
 * <p>A thread inherits the CPUs of the thread that creates it: what a pinned thread starts runs on
 * its CPU, unless it calls {@link #unpinCurrentThread()} first.
 */
public final class Affinity {
  private Affinity() {}

  /**
   * Null if the calling thread is now confined to this CPU, as read back from the kernel; else why
   * it is not.
   */
  public static String pinCurrentThread(int cpu) {
    String unavailable = Libc.unavailableReason();
    if (unavailable != null) {
      return unavailable;
    }
    return confineCurrentThread(CpuSet.of(cpu));
  }

  /**
   * Gives the calling thread all CPUs of the process again. Null if that was done, else why it was
   * not.
   */
  public static String unpinCurrentThread() {
    String unavailable = Libc.unavailableReason();
    if (unavailable != null) {
      return unavailable;
    }
    try {
      return confineCurrentThread(CpuSet.of(Libc.processAffinity()));
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  private static String confineCurrentThread(CpuSet cpus) {
    try {
      BitSet wanted = cpus.toBitSet();
      Libc.setThreadAffinity(wanted);
      BitSet now = Libc.threadAffinity();
      return now.equals(wanted)
          ? null
          : "asked for CPUs " + cpus + ", the kernel gave " + CpuSet.of(now);
    } catch (IOException e) {
      return e.getMessage();
    }
  }
}
