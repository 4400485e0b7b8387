package io.penstock.shards.pinning;

import java.util.List;
import java.util.Optional;

/**
 * A mounted hierarchy of control groups, from a line of {@code /proc/self/mountinfo} (proc(5)).
 *
 * @param version2 true for the unified hierarchy
 * @param rootGroup the group that appears at the mount point
 * @param mountPoint an absolute path
 * @param options the file system's options, for version 1 the names of its controllers
 */
record CgroupMount(boolean version2, String rootGroup, String mountPoint, List<String> options) {

  /** Empty for a mount of another kind. */
  static Optional<CgroupMount> parse(String line) {
    int separator = line.indexOf(" - ");
    if (separator < 0) {
      return Optional.empty();
    }
    String[] mount = line.substring(0, separator).split(" ", -1);
    String[] fileSystem = line.substring(separator + 3).split(" ", -1);
    if (mount.length < 5 || fileSystem.length < 3) {
      return Optional.empty();
    }
    boolean version2 = fileSystem[0].equals("cgroup2");
    if (!version2 && !fileSystem[0].equals("cgroup")) {
      return Optional.empty();
    }
    return Optional.of(
        new CgroupMount(
            version2,
            unescape(mount[3]),
            unescape(mount[4]),
            List.of(fileSystem[2].split(",", -1))));
  }

  boolean hasCpuOfVersion1() {
    return !version2 && options.contains("cpu");
  }

  /**
   * Where a group of {@code /proc/self/cgroup} is below the mount point; the mount point itself if
   * it is not visible there.
   */
  String pathBelow(String group) {
    String prefix = rootGroup.equals("/") ? "/" : rootGroup + "/";
    boolean visible = group.startsWith(prefix) && !group.startsWith("/..");
    return visible ? group.substring(prefix.length()) : "";
  }

  /**
   * Space, tab, line feed and backslash stand in that file as a backslash and three octal digits.
   */
  private static String unescape(String field) {
    return field
        .replace("\\040", " ")
        .replace("\\011", "\t")
        .replace("\\012", "\n")
        .replace("\\134", "\\");
  }
}
