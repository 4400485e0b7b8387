package io.penstock.shards.pinning;

import io.penstock.shards.os.ErrnoException;
import io.penstock.shards.os.Libc;
import io.penstock.shards.os.LinuxConstants;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

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

  /**
   * Confines every thread of the process to these CPUs, those of the JVM itself included, and with
   * them all threads that they start later. Pinned threads are moved, too, so this comes first.
   * Null if that was done, else why it was not.
   */
  public static String confineProcess(CpuSet cpus) {
    String unavailable = Libc.unavailableReason();
    if (unavailable != null) {
      return unavailable;
    }
    CpuSet allowed = AllowedCpus.ofThisProcess().cpus();
    CpuSet beyond = cpus.minus(allowed);
    if (!beyond.isEmpty()) {
      return "CPU " + beyond + " is not among those this process may use: " + allowed;
    }
    try {
      Set<Integer> confined = new HashSet<>();
      // Until nobody is new: a thread may have been started by one that was not confined yet.
      for (List<Integer> fresh = threadsBut(confined);
          !fresh.isEmpty();
          fresh = threadsBut(confined)) {
        for (int tid : fresh) {
          confineThread(tid, cpus);
          confined.add(tid);
        }
      }
      return null;
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  private static void confineThread(int tid, CpuSet cpus) throws IOException {
    try {
      Libc.setThreadAffinity(tid, cpus.toBitSet());
    } catch (ErrnoException e) {
      if (e.errno() != LinuxConstants.ESRCH) {
        throw e;
      }
      // It has ended meanwhile.
    }
  }

  private static List<Integer> threadsBut(Set<Integer> known) throws IOException {
    List<Integer> threads = new ArrayList<>();
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path task : tasks) {
        int tid = Integer.parseInt(task.getFileName().toString());
        if (!known.contains(tid)) {
          threads.add(tid);
        }
      }
    }
    return threads;
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
