package io.penstock.shards.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.shards.ShardGroup;
import io.penstock.shards.ShardGroupOptions;
import io.penstock.shards.core.Backend;
import io.penstock.shards.os.Libc;
import io.penstock.shards.pinning.AllowedCpus;
import io.penstock.shards.pinning.CpuQuota;
import io.penstock.shards.pinning.CpuSet;
import io.penstock.shards.pinning.PinningMode;
import io.penstock.shards.testing.CpuCgroup;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.ForkedJvm;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.condition.EnabledIf;

/** On which CPUs the threads of whole groups run, by the kernel's word. */
@EnabledIf("canPin")
class GroupOnCpusTest {
  private final CpuSet allowed = AllowedCpus.ofThisProcess().cpus();
  private final int firstCpu = allowed.nth(0);
  private final int lastCpu = allowed.nth(allowed.size() - 1);

  static boolean canPin() {
    return Libc.unavailableReason() == null;
  }

  @EachBackend
  void confinedToOneCpuThereIsOneShardOnIt(Backend backend) throws Exception {
    assertThat(confinedTo(lastCpu).run(backend.name(), "0", "AUTO", "-").successfulOutput())
        .endsWith("shard 0 on " + lastCpu)
        .doesNotContain("shard 1");
  }

  @EachBackend
  void confinedToOneCpuTwoShardsAreNotPinnedAndTheReportSaysWhy(Backend backend) throws Exception {
    assertThat(confinedTo(lastCpu).run(backend.name(), "2", "AUTO", "-").successfulOutput())
        .contains("not pinned: 2 shards on 1 allowed CPU " + lastCpu)
        .endsWith("shard 0 on " + lastCpu + "\nshard 1 on " + lastCpu);
  }

  @EachBackend
  void aForeignCpuIsAnErrorThatNamesItAndNothingIsHalfStarted(Backend backend) throws Exception {
    int foreign = lastCpu + 1;

    assertThat(
            ForkedJvm.of(Main.class)
                .run(backend.name(), "0", "ON", firstCpu + "," + foreign)
                .successfulOutput())
        .contains("refused: cannot pin to CPU " + foreign)
        .endsWith("nothing left");
  }

  @EachBackend
  void aJvmToldToUseOneProcessorHasOneShard(Backend backend) throws Exception {
    assumeTrue(CpuQuota.ofThisProcess().cpus().isEmpty(), "there is a quota already");

    assertThat(
            ForkedJvm.of(Main.class)
                .jvmFlags("-XX:ActiveProcessorCount=1")
                .run(backend.name(), "0", "AUTO", "-")
                .successfulOutput())
        .endsWith("shard 0 on " + firstCpu)
        .doesNotContain("shard 1");
  }

  @EachBackend
  void underAQuotaBelowItsCpusNoShardIsPinned(Backend backend) throws Exception {
    assumeTrue(CpuQuota.ofThisProcess().cpus().isEmpty(), "there is a quota already");
    long periodMicros = 100_000;
    try (CpuCgroup group = cgroup(periodMicros * allowed.size() - periodMicros / 2, periodMicros)) {
      String out =
          ForkedJvm.of(Main.class)
              .behind(group.command())
              .run(backend.name(), "0", "AUTO", "-")
              .successfulOutput();

      assertThat(out).contains("not pinned: CFS quota of ").endsWith(" on " + allowed);
    }
  }

  @EachBackend
  void twoGroupsShareACpuOnlyWhereAskedAndSaySo(Backend backend) throws Exception {
    ShardGroupOptions here =
        Groups.small(backend, 1).withPinning(PinningMode.ON).withCpus(CpuSet.of(firstCpu));
    try (ShardGroup first = ShardGroup.start(here)) {
      assertThat(cpusOf(first, 0)).isEqualTo(CpuSet.of(firstCpu));
      assertThat(first.report().notes()).isEmpty();
      try (ShardGroup second = ShardGroup.start(here)) {
        assertThat(second.report().line()).contains("shared with another group of this JVM");
      }
      try (ShardGroup automatic =
          ShardGroup.start(Groups.small(backend, allowed.size()).withPinning(PinningMode.AUTO))) {
        for (int i = 0; i < automatic.shardCount(); i++) {
          assertThat(cpusOf(automatic, i)).isEqualTo(allowed);
        }
        assertThat(automatic.report().line()).contains("other groups of this JVM are pinned to");
      }
    }
    try (ShardGroup later = ShardGroup.start(here)) {
      assertThat(later.report().line()).doesNotContain("shared with another group");
    }
  }

  private static CpuSet cpusOf(ShardGroup group, int shard) {
    CompletableFuture<CpuSet> cpus = new CompletableFuture<>();
    group
        .shard(shard)
        .execute(
            () -> {
              try {
                cpus.complete(CpuSet.of(Libc.threadAffinity()));
              } catch (Throwable t) {
                cpus.completeExceptionally(t);
              }
            });
    return cpus.join();
  }

  private static ForkedJvm confinedTo(int cpu) {
    return ForkedJvm.of(Main.class).behind("taskset", "-c", Integer.toString(cpu));
  }

  private static CpuCgroup cgroup(long quotaMicros, long periodMicros) {
    try {
      return CpuCgroup.withQuota(quotaMicros, periodMicros);
    } catch (IOException e) {
      return abort("no control group with a quota can be made here: " + e);
    }
  }

  /** Main class: starts a group and says on which CPUs its shards are, or that it was refused. */
  static final class Main {
    public static void main(String[] args) throws Exception {
      Backend backend = Backend.valueOf(args[0]);
      ShardGroup.start(Groups.small(backend, 1)).close();
      Footprint before = Footprint.now();
      ShardGroupOptions options =
          ShardGroupOptions.defaults()
              .withName("penstock-test")
              .withBackend(backend)
              .withPinning(PinningMode.valueOf(args[2]));
      if (!args[1].equals("0")) {
        options = options.withShards(Integer.parseInt(args[1]));
      }
      if (!args[3].equals("-")) {
        options = options.withCpus(CpuSet.parse(args[3]));
      }
      try (ShardGroup group = ShardGroup.start(options)) {
        group.report().notes().forEach(System.out::println);
        for (int i = 0; i < group.shardCount(); i++) {
          System.out.println("shard " + i + " on " + cpusOf(group, i));
        }
      } catch (IllegalArgumentException e) {
        System.out.println("refused: " + e.getMessage());
        System.out.println(Footprint.now().equals(before) ? "nothing left" : Footprint.now());
      }
    }
  }
}
