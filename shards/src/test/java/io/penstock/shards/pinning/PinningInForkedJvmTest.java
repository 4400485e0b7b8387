package io.penstock.shards.pinning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.shards.testing.CpuCgroup;
import io.penstock.shards.testing.ForkedJvm;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * What a whole JVM makes of the CPUs it was given, from the flags of the machine down to the
 * kernel's word on its threads.
 */
@EnabledOnOs(OS.LINUX)
class PinningInForkedJvmTest {
  private final CpuSet allowed = AllowedCpus.ofThisProcess().cpus();
  private final int lastCpu = allowed.nth(allowed.size() - 1);

  @Test
  void confinedToOneCpuAutomaticGivesOneShardOnIt() throws Exception {
    assertThat(onTheLastCpu().run("0", "AUTO", "-").successfulOutput())
        .startsWith("1 shard pinned to CPU " + lastCpu + ", spinning\n")
        .endsWith("shard 0 on " + lastCpu);
  }

  @Test
  void confinedToOneCpuTwoShardsStayUnpinnedAndTheReportSaysWhy() throws Exception {
    assertThat(onTheLastCpu().run("2", "AUTO", "-").successfulOutput())
        .startsWith("2 shards unpinned, not spinning\n")
        .contains("not pinned: 2 shards on 1 allowed CPU " + lastCpu + "\n")
        .endsWith("shard 0 on " + lastCpu + "\nshard 1 on " + lastCpu);
  }

  @Test
  void confinedToOneCpuAskedPinsWrapOnIt() throws Exception {
    assertThat(onTheLastCpu().run("2", "ON", "-").successfulOutput())
        .startsWith("2 shards pinned to CPUs " + lastCpu + "," + lastCpu + ", not spinning\n")
        .contains("2 shards on 1 CPU: pins wrap\n");
  }

  @Test
  void aCpuOutsideOfThoseItIsConfinedToIsAnErrorThatNamesIt() throws Exception {
    int foreign = lastCpu + 1;

    ForkedJvm.Result result = onTheLastCpu().run("1", "ON", Integer.toString(foreign));

    assertThat(result.exitStatus()).isEqualTo(2);
    assertThat(result.err())
        .contains(
            "cannot pin to CPU "
                + foreign
                + ": this process may use only "
                + lastCpu
                + " (from sched_getaffinity)");
    assertThat(result.out()).isEmpty();
  }

  @Test
  void aJvmToldToUseOneProcessorGetsOneShard() throws Exception {
    assumeNoQuota();

    assertThat(
            ForkedJvm.of(Main.class)
                .jvmFlags("-XX:ActiveProcessorCount=1")
                .run("0", "AUTO", "-")
                .successfulOutput())
        .startsWith("1 shard pinned to CPU " + allowed.nth(0) + ", spinning\n")
        .endsWith("shard 0 on " + allowed.nth(0));
  }

  @Test
  void underAQuotaOfLessThanItsCpusNothingIsPinnedOrSpins() throws Exception {
    assumeNoQuota();
    long periodMicros = 100_000;
    long quotaMicros = periodMicros * allowed.size() - periodMicros / 2;
    try (CpuCgroup group = cgroup(quotaMicros, periodMicros)) {
      String out =
          ForkedJvm.of(Main.class).behind(group.command()).run("0", "AUTO", "-").successfulOutput();

      assertThat(out)
          .startsWith(PinningPlanner.count(allowed.size(), "shard") + " unpinned, not spinning\n")
          .contains("not pinned: CFS quota of " + (allowed.size() - 1) + ".5 CPUs is below the ");
    }
  }

  private static void assumeNoQuota() {
    assumeTrue(
        CpuQuota.ofThisProcess().cpus().isEmpty(),
        () -> "these tests run under a quota themselves: " + CpuQuota.ofThisProcess());
  }

  @Test
  void withNativeAccessDeniedShardsRunUnpinnedAndTheReportSaysWhy() throws Exception {
    Optional<Path> jdk25 = ForkedJvm.jdk25Home();
    assumeTrue(jdk25.isPresent(), "no JDK 25 is installed");

    assertThat(
            ForkedJvm.of(Main.class)
                .javaHome(jdk25.orElseThrow())
                .jvmFlags("--illegal-native-access=deny")
                .run("0", "ON", "-")
                .successfulOutput())
        .startsWith(allowed.size() + " shard")
        .contains(" unpinned", "not pinned though asked: native access is denied to JNA");
  }

  private ForkedJvm onTheLastCpu() {
    assumeTrue(isInstalled("taskset"), "taskset is not installed");
    return ForkedJvm.of(Main.class).behind("taskset", "-c", Integer.toString(lastCpu));
  }

  private static CpuCgroup cgroup(long quotaMicros, long periodMicros) {
    try {
      return CpuCgroup.withQuota(quotaMicros, periodMicros);
    } catch (IOException e) {
      return abort("no control group with a quota can be made here: " + e);
    }
  }

  private static boolean isInstalled(String program) {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
  }

  /**
   * Plans, pins a thread for each shard, and prints the plan and what the kernel says of each
   * thread.
   */
  public static final class Main {
    public static void main(String[] args) throws Exception {
      CpuSet explicit = args[2].equals("-") ? null : CpuSet.parse(args[2]);
      try (CpuClaims.Claim claim =
          CpuClaims.processWide()
              .claim(
                  others ->
                      PinningPlan.of(
                          PinningInputs.ofThisProcess(
                              Integer.parseInt(args[0]),
                              PinningMode.valueOf(args[1]),
                              explicit,
                              others)))) {
        PinningPlan plan = claim.plan();
        System.out.println(plan.describe());
        plan.notes().forEach(System.out::println);
        for (int shard = 0; shard < plan.shardCount(); shard++) {
          int number = shard;
          Thread thread = new Thread(() -> runShard(number, plan.cpu(number)));
          thread.start();
          thread.join();
        }
      } catch (IllegalArgumentException e) {
        System.err.println(e.getMessage());
        System.exit(2);
      }
    }

    private static void runShard(int shard, int cpu) {
      if (cpu != PinningPlan.UNPINNED) {
        String failure = Affinity.pinCurrentThread(cpu);
        if (failure != null) {
          System.out.println("shard " + shard + " not pinned: " + failure);
        }
      }
      try {
        for (String line : Files.readAllLines(Path.of("/proc/thread-self/status"))) {
          if (line.startsWith("Cpus_allowed_list:")) {
            System.out.println("shard " + shard + " on " + line.split("\\s+", -1)[1]);
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
