package io.penstock.shards.pinning;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/**
 * The share of CPU time that control groups grant to this process, in CPUs: the smallest of its
 * group's and all its ancestors', as far as they can be seen from inside. Both versions of control
 * groups are read, since a system may mount both.
 *
 * @param cpus empty if there is no limit
 * @param problems files that are there but could not be understood, each in one sentence
 */
public record CpuQuota(OptionalDouble cpus, List<String> problems) {
  /** The kernel's default period, for a {@code cpu.max} that names none. */
  private static final long DEFAULT_PERIOD_MICROS = 100_000;

  public CpuQuota {
    problems = List.copyOf(problems);
  }

  public static CpuQuota none() {
    return new CpuQuota(OptionalDouble.empty(), List.of());
  }

  public static CpuQuota of(double cpus) {
    return new CpuQuota(OptionalDouble.of(cpus), List.of());
  }

  public static CpuQuota ofThisProcess() {
    return read(Path.of("/"));
  }

  /**
   * Reads {@code proc/self/cgroup}, {@code proc/self/mountinfo} and the groups they name below this
   * root.
   */
  static CpuQuota read(Path root) {
    return new Reader(root).read();
  }

  /** One reading. For one thread. */
  private static final class Reader {
    private final Path root;
    private final List<String> problems = new ArrayList<>();
    private double smallest = Double.POSITIVE_INFINITY;

    Reader(Path root) {
      this.root = root;
    }

    CpuQuota read() {
      List<CgroupMount> mounts = new ArrayList<>();
      for (String line : lines(root.resolve("proc/self/mountinfo"))) {
        CgroupMount.parse(line).ifPresent(mounts::add);
      }
      for (String line : lines(root.resolve("proc/self/cgroup"))) {
        // hierarchy-ID:controller-list:path, cgroups(7)
        String[] fields = line.split(":", 3);
        if (fields.length != 3) {
          problems.add("proc/self/cgroup has the line '" + line + "'");
          continue;
        }
        boolean version2 = fields[0].equals("0") && fields[1].isEmpty();
        boolean cpuOfVersion1 = List.of(fields[1].split(",", -1)).contains("cpu");
        for (CgroupMount mount : mounts) {
          if (version2 ? mount.version2() : cpuOfVersion1 && mount.hasCpuOfVersion1()) {
            readUpwards(mount, fields[2]);
          }
        }
      }
      return new CpuQuota(
          Double.isInfinite(smallest) ? OptionalDouble.empty() : OptionalDouble.of(smallest),
          problems);
    }

    private void readUpwards(CgroupMount mount, String group) {
      Path top = root.resolve(mount.mountPoint().substring(1)).normalize();
      Path directory = top.resolve(mount.pathBelow(group)).normalize();
      while (directory.startsWith(top)) {
        OptionalDouble limit =
            mount.version2() ? limitOfVersion2(directory) : limitOfVersion1(directory);
        smallest = Math.min(smallest, limit.orElse(Double.POSITIVE_INFINITY));
        directory = directory.getParent();
      }
    }

    private OptionalDouble limitOfVersion2(Path directory) {
      Path file = directory.resolve("cpu.max");
      String text = textOf(file);
      if (text == null) {
        return OptionalDouble.empty();
      }
      String[] fields = text.split("\\s+", -1);
      if (fields[0].equals("max")) {
        return OptionalDouble.empty();
      }
      String period = fields.length > 1 ? fields[1] : Long.toString(DEFAULT_PERIOD_MICROS);
      return ratio(file, fields[0], period);
    }

    private OptionalDouble limitOfVersion1(Path directory) {
      Path file = directory.resolve("cpu.cfs_quota_us");
      String quota = textOf(file);
      if (quota == null || quota.startsWith("-")) {
        return OptionalDouble.empty();
      }
      String period = textOf(directory.resolve("cpu.cfs_period_us"));
      return ratio(file, quota, period == null ? Long.toString(DEFAULT_PERIOD_MICROS) : period);
    }

    private OptionalDouble ratio(Path file, String quotaMicros, String periodMicros) {
      try {
        long quota = Long.parseLong(quotaMicros);
        long period = Long.parseLong(periodMicros);
        if (quota > 0 && period > 0) {
          return OptionalDouble.of((double) quota / period);
        }
      } catch (NumberFormatException e) {
        // reported below, together with numbers that make no sense
      }
      problems.add(
          file + " says quota '" + quotaMicros + "' in a period of '" + periodMicros + "' us");
      return OptionalDouble.empty();
    }

    private List<String> lines(Path file) {
      String text = textOf(file);
      return text == null ? List.of() : text.lines().toList();
    }

    /** Null if there is no such file: no such system, controller or limit. */
    private String textOf(Path file) {
      try {
        return Files.readString(file, StandardCharsets.UTF_8).strip();
      } catch (NoSuchFileException e) {
        return null;
      } catch (IOException e) {
        problems.add("cannot read " + file + ": " + e);
        return null;
      }
    }
  }
}
