package io.penstock.shards.pinning;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpuQuotaTest {
  private static final String UNIFIED =
      "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
  private static final String SPLIT =
      """
      31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
      32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct
      34 31 0:31 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset
      41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
      """;

  @TempDir Path root;

  @Test
  void withoutControlGroupsThereIsNoLimit() {
    assertThat(CpuQuota.read(root)).isEqualTo(CpuQuota.none());
  }

  @Test
  void version2HasItsLimitInTheProcessesGroup() throws Exception {
    system("0::/app\n", UNIFIED);
    file("sys/fs/cgroup/app/cpu.max", "150000 100000\n");

    assertThat(CpuQuota.read(root)).isEqualTo(CpuQuota.of(1.5));
  }

  @Test
  void version2TakesTheSmallestLimitUpToTheMountPoint() throws Exception {
    system("0::/a/b/c\n", UNIFIED);
    file("sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
    file("sys/fs/cgroup/a/b/cpu.max", "50000 100000\n");
    file("sys/fs/cgroup/a/cpu.max", "400000 100000\n");
    file("sys/fs/cpu.max", "1 100000\n");

    assertThat(CpuQuota.read(root)).isEqualTo(CpuQuota.of(0.5));
  }

  @Test
  void version2WithoutAPeriodMeansTheKernelsDefault() throws Exception {
    system("0::/\n", UNIFIED);
    file("sys/fs/cgroup/cpu.max", "250000\n");

    assertThat(CpuQuota.read(root)).isEqualTo(CpuQuota.of(2.5));
  }

  @Test
  void maxMeansNoLimit() throws Exception {
    system("0::/app\n", UNIFIED);
    file("sys/fs/cgroup/app/cpu.max", "max 100000\n");

    assertThat(CpuQuota.read(root)).isEqualTo(CpuQuota.none());
  }

  @Test
  void version1HasQuotaAndPeriodInTheCpuHierarchyAlone() throws Exception {
    system("5:cpuset:/other\n3:cpu,cpuacct:/app\n0::/\n", SPLIT);
    file("sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us", "60000\n");
    file("sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_period_us", "20000\n");
    file("sys/fs/cgroup/cpuset/other/cpu.cfs_quota_us", "1\n");

    assertThat(CpuQuota.read(root)).isEqualTo(CpuQuota.of(3));
  }

  @Test
  void version1MinusOneMeansNoLimitButTheParentsCounts() throws Exception {
    system("3:cpu,cpuacct:/pod/app\n", SPLIT);
    file("sys/fs/cgroup/cpu,cpuacct/pod/app/cpu.cfs_quota_us", "-1\n");
    file("sys/fs/cgroup/cpu,cpuacct/pod/cpu.cfs_quota_us", "200000\n");
    file("sys/fs/cgroup/cpu,cpuacct/pod/cpu.cfs_period_us", "100000\n");
    file("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");

    assertThat(CpuQuota.read(root)).isEqualTo(CpuQuota.of(2));
  }

  @Test
  void aContainersGroupIsFoundBelowTheMountThatShowsIt() throws Exception {
    system(
        "3:cpu:/docker/abc/app\n",
        "32 31 0:29 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
    file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "300000\n");
    file("sys/fs/cgroup/cpu/app/cpu.cfs_quota_us", "100000\n");

    assertThat(CpuQuota.read(root)).isEqualTo(CpuQuota.of(1));
  }

  @Test
  void aGroupOutsideOfTheMountLeavesTheMountPointItself() throws Exception {
    system(
        "3:cpu:/docker/abc\n0::/../sibling\n",
        UNIFIED + "32 31 0:29 /elsewhere /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
    file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "300000\n");
    file("sys/fs/cgroup/sibling/cpu.max", "1000 100000\n");

    assertThat(CpuQuota.read(root)).isEqualTo(CpuQuota.of(3));
  }

  @Test
  void aMountPointWithASpaceIsFound() throws Exception {
    system("0::/app\n", "30 23 0:26 / /control\\040groups rw - cgroup2 none rw\n");
    file("control groups/app/cpu.max", "70000 100000\n");

    assertThat(CpuQuota.read(root)).isEqualTo(CpuQuota.of(0.7));
  }

  @Test
  void aLimitThatMakesNoSenseIsReportedAndTheOthersStillCount() throws Exception {
    system("0::/a/b\n", UNIFIED);
    Path senseless = file("sys/fs/cgroup/a/b/cpu.max", "many 100000\n");
    file("sys/fs/cgroup/a/cpu.max", "100000 100000\n");

    CpuQuota quota = CpuQuota.read(root);

    assertThat(quota.cpus()).hasValue(1);
    assertThat(quota.problems())
        .containsExactly(senseless + " says quota 'many' in a period of '100000' us");
  }

  @Test
  void aFileThatCannotBeReadIsReported() throws Exception {
    system("0::/a\n", UNIFIED);
    Files.createDirectories(root.resolve("sys/fs/cgroup/a/cpu.max"));

    assertThat(CpuQuota.read(root).problems())
        .singleElement()
        .asString()
        .startsWith("cannot read " + root.resolve("sys/fs/cgroup/a/cpu.max"));
  }

  private void system(String cgroup, String mountInfo) throws IOException {
    file("proc/self/cgroup", cgroup);
    file("proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/vda1 rw\n" + mountInfo);
  }

  private Path file(String path, String text) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }
}
