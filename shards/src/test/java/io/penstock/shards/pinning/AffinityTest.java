package io.penstock.shards.pinning;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.os.Libc;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class AffinityTest {

  @BeforeEach
  void nativeCallsAreAllowed() {
    String reason = Libc.unavailableReason();
    Assumptions.assumeFalse(reason != null && reason.contains("native access is denied"), reason);
    assertThat(reason).isNull();
  }

  @Test
  void aPinnedThreadRunsOnItsCpuUntilItIsUnpinned() throws Exception {
    CpuSet allowed = AllowedCpus.ofThisProcess().cpus();
    int cpu = allowed.nth(allowed.size() - 1);

    onNewThread(
        () -> {
          assertThat(Affinity.pinCurrentThread(cpu)).isNull();
          assertThat(CpuSet.of(Libc.threadAffinity())).isEqualTo(CpuSet.of(cpu));
          assertThat(AllowedCpus.ofThisProcess().cpus())
              .as("what a group started from a pinned thread may use")
              .isEqualTo(allowed);
          assertThat(inheritedCpus()).isEqualTo(CpuSet.of(cpu));

          assertThat(Affinity.unpinCurrentThread()).isNull();
          assertThat(CpuSet.of(Libc.threadAffinity())).isEqualTo(allowed);
          return null;
        });
  }

  @Test
  void aCpuThatIsNotOursIsRefusedAndTheThreadStaysAsItWas() throws Exception {
    CpuSet allowed = AllowedCpus.ofThisProcess().cpus();

    onNewThread(
        () -> {
          assertThat(Affinity.pinCurrentThread(8_000))
              .isEqualTo("sched_setaffinity(0, {8000}) failed: EINVAL (22)");
          assertThat(CpuSet.of(Libc.threadAffinity())).isEqualTo(allowed);
          return null;
        });
  }

  private static CpuSet inheritedCpus() throws Exception {
    return onNewThread(() -> CpuSet.of(Libc.threadAffinity()));
  }

  private static <T> T onNewThread(Callable<T> body) throws Exception {
    FutureTask<T> task = new FutureTask<>(body);
    Thread thread = new Thread(task);
    thread.start();
    thread.join();
    return task.get();
  }
}
