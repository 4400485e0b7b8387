package io.penstock.shards.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * A control group with a CPU quota, made where the system lets us: version 1 or 2, as root, below
 * the group that is visible as the mount point. Closing removes it; every process in it must have
 * ended.
 */
public final class CpuCgroup implements AutoCloseable {
  private static final Path MOUNTS = Path.of("/sys/fs/cgroup");

  private final Path directory;

  private CpuCgroup(Path directory) {
    this.directory = directory;
  }

  /**
   * Makes a group with this quota of CPU time in each period.
   *
   * @throws IOException if none can be made here, with the reason
   */
  public static CpuCgroup withQuota(long quotaMicros, long periodMicros) throws IOException {
    String name = "penstock-test-" + ProcessHandle.current().pid();
    if (Files.exists(MOUNTS.resolve("cgroup.controllers"))) {
      List<String> enabled =
          Arrays.asList(
              Files.readString(MOUNTS.resolve("cgroup.subtree_control")).strip().split(" ", -1));
      if (!enabled.contains("cpu")) {
        throw new IOException("the cpu controller is not enabled for groups below " + MOUNTS);
      }
      CpuCgroup group = new CpuCgroup(Files.createDirectory(MOUNTS.resolve(name)));
      group.write("cpu.max", quotaMicros + " " + periodMicros);
      return group;
    }
    Path version1 = MOUNTS.resolve("cpu");
    if (!Files.exists(version1.resolve("cpu.cfs_quota_us"))) {
      throw new IOException("no control group with CPU quotas is mounted below " + MOUNTS);
    }
    CpuCgroup group = new CpuCgroup(Files.createDirectory(version1.resolve(name)));
    group.write("cpu.cfs_period_us", Long.toString(periodMicros));
    group.write("cpu.cfs_quota_us", Long.toString(quotaMicros));
    return group;
  }

  /** The command behind which a process runs inside the group. */
  public String[] command() {
    return new String[] {
      "sh", "-c", "echo $$ > \"$0\" && exec \"$@\"", directory.resolve("cgroup.procs").toString()
    };
  }

  @Override
  public void close() throws IOException {
    Files.delete(directory);
  }

  private void write(String file, String value) throws IOException {
    try {
      Files.writeString(directory.resolve(file), value);
    } catch (IOException e) {
      close();
      throw e;
    }
  }
}
