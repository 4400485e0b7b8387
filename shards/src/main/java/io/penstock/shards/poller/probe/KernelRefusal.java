package io.penstock.shards.poller.probe;

import io.penstock.shards.core.Backend;
import io.penstock.shards.os.Errno;
import io.penstock.shards.os.LinuxConstants;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Why the kernel refuses a backend, from the error number and what its files say. Any thread. */
final class KernelRefusal {
  private final Path proc;

  /**
   * @param proc {@code /proc}, or what a test puts in its place
   */
  KernelRefusal(Path proc) {
    this.proc = proc;
  }

  /** One sentence, with the error number in it. */
  String reason(Backend backend, int errno) {
    String number = Errno.name(errno) + " (" + errno + ")";
    String refused = "the kernel refuses " + backend.label() + " with " + number;
    return switch (errno) {
      case LinuxConstants.EPERM, LinuxConstants.EACCES -> refused + ": " + whoForbids(backend);
      case LinuxConstants.ENOSYS ->
          refused
              + ": kernel "
              + firstLine("sys/kernel/osrelease", "of unknown version")
              + " lacks it, or a seccomp filter hides it";
      case LinuxConstants.ENOMEM ->
          refused + ": memory is short, or the limit of locked memory is (" + lockedMemory() + ")";
      case LinuxConstants.EMFILE, LinuxConstants.ENFILE ->
          refused + ": no descriptor is free (" + limit("Max open files") + ")";
      default -> refused;
    };
  }

  private String whoForbids(Backend backend) {
    if (backend == Backend.IO_URING) {
      String disabled = firstLine("sys/kernel/io_uring_disabled", "0");
      if (disabled.equals("2")) {
        return "kernel.io_uring_disabled is 2, off for all processes";
      }
      if (disabled.equals("1")) {
        return "kernel.io_uring_disabled is 1, only for privileged processes"
            + " and the group in kernel.io_uring_group";
      }
    }
    boolean filtered = lineStarting("thread-self/status", "Seccomp:").endsWith("2");
    return filtered
        ? "a seccomp filter forbids it, as container runtimes install"
        : "a security policy forbids it";
  }

  private String lockedMemory() {
    return limit("Max locked memory") + "; see ulimit -l";
  }

  /** A line of the limits file, which has the columns name, soft limit, hard limit and unit. */
  private String limit(String name) {
    String line = lineStarting("self/limits", name);
    if (line.isEmpty()) {
      return name + " unknown";
    }
    return name + " " + line.substring(name.length()).strip().replaceAll("\\s+.*", "");
  }

  /** Empty if there is no such line. */
  private String lineStarting(String file, String start) {
    try {
      for (String line : Files.readAllLines(proc.resolve(file))) {
        if (line.startsWith(start)) {
          return line.strip();
        }
      }
    } catch (IOException e) {
      // Not there: what it would tell stays unknown, and the sentence says so.
    }
    return "";
  }

  private String firstLine(String file, String otherwise) {
    String line = lineStarting(file, "");
    return line.isEmpty() ? otherwise : line;
  }
}
