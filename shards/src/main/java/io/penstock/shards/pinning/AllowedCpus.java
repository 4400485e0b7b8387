package io.penstock.shards.pinning;

import io.penstock.shards.os.Libc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The CPUs that this process may use. They are those of the process's first thread and not of the
 * caller, which may be pinned itself.
 *
 * @param cpus never empty
 * @param known false if the system told nothing and {@code cpus} is a guess from the number of
 *     processors
 * @param source where the set came from; if it is not known, why
 */
public record AllowedCpus(CpuSet cpus, boolean known, String source) {
  private static final String STATUS_KEY = "Cpus_allowed_list:";

  public AllowedCpus {
    if (cpus.isEmpty()) {
      throw new IllegalArgumentException("the set of allowed CPUs is empty");
    }
  }

  public static AllowedCpus ofThisProcess() {
    return read(
        Libc::processAffinity,
        Libc.unavailableReason(),
        Path.of("/proc/self/status"),
        Runtime.getRuntime().availableProcessors());
  }

  /** Asks the kernel, may fail. */
  interface AffinityCall {
    BitSet cpus() throws IOException;
  }

  /**
   * The three sources in the order of their worth: the system call, the process's status file, a
   * guess.
   */
  static AllowedCpus read(
      AffinityCall affinity, String nativeUnavailable, Path status, int availableProcessors) {
    List<String> failures = new ArrayList<>();
    if (nativeUnavailable != null) {
      failures.add(nativeUnavailable);
    } else {
      try {
        return new AllowedCpus(CpuSet.of(affinity.cpus()), true, "sched_getaffinity");
      } catch (IOException e) {
        failures.add(e.getMessage());
      }
    }
    try {
      return new AllowedCpus(CpuSet.parse(allowedList(status)), true, status.toString());
    } catch (IOException | IllegalArgumentException e) {
      failures.add("cannot read " + status + ": " + e.getMessage());
    }
    return new AllowedCpus(CpuSet.firstN(availableProcessors), false, String.join("; ", failures));
  }

  private static String allowedList(Path status) throws IOException {
    for (String line : Files.readAllLines(status)) {
      if (line.startsWith(STATUS_KEY)) {
        return line.substring(STATUS_KEY.length()).strip();
      }
    }
    throw new IOException("no line starts with " + STATUS_KEY);
  }
}
