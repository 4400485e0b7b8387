package io.penstock.shards.pinning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class CpuClaimsTest {
  private final CpuClaims claims = new CpuClaims();

  @Test
  void aSecondGroupGetsTheCpuThatTheFirstLeft() {
    CpuClaims.Claim first = claims.claim(others -> plan(1, PinningMode.AUTO, others));
    CpuClaims.Claim second = claims.claim(others -> plan(1, PinningMode.AUTO, others));
    CpuClaims.Claim third = claims.claim(others -> plan(1, PinningMode.AUTO, others));

    assertThat(first.plan().cpuOfShard()).containsExactly(0);
    assertThat(second.plan().cpuOfShard()).containsExactly(1);
    assertThat(third.plan().pinned()).isFalse();
    assertThat(third.plan().notes().get(0)).contains("other groups of this JVM are pinned to 0-1");
    assertThat(claims.claimed()).isEqualTo(CpuSet.of(0, 1));

    first.close();
    third.close();
    assertThat(claims.claimed()).isEqualTo(CpuSet.of(1));
    assertThat(claims.claim(others -> plan(1, PinningMode.AUTO, others)).plan().cpuOfShard())
        .containsExactly(0);
  }

  @Test
  void aSharedCpuIsFreeOnlyWhenBothHaveLeft() {
    CpuClaims.Claim first = claims.claim(others -> plan(2, PinningMode.ON, others));
    CpuClaims.Claim second = claims.claim(others -> plan(2, PinningMode.ON, others));
    assertThat(second.plan().notes()).contains("CPUs 0-1 shared with another group of this JVM");

    first.close();
    first.close();
    assertThat(claims.claimed()).isEqualTo(CpuSet.of(0, 1));

    second.close();
    assertThat(claims.claimed().isEmpty()).isTrue();
  }

  @Test
  void pinsThatWrapAreOneClaim() {
    CpuClaims.Claim claim = claims.claim(others -> plan(5, PinningMode.ON, others));
    assertThat(claims.claimed()).isEqualTo(CpuSet.of(0, 1));

    claim.close();

    assertThat(claims.claimed().isEmpty()).isTrue();
  }

  @Test
  void aPlanThatFailsClaimsNothing() {
    assertThatThrownBy(
            () ->
                claims.claim(
                    others -> {
                      throw new IllegalArgumentException("CPU 7");
                    }))
        .hasMessage("CPU 7");

    assertThat(claims.claimed().isEmpty()).isTrue();
  }

  @Test
  void groupsThatStartAtOnceNeverGetTheSameCpu() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      for (int round = 0; round < 200; round++) {
        CyclicBarrier start = new CyclicBarrier(2);
        Callable<CpuClaims.Claim> startGroup =
            () -> {
              start.await();
              return claims.claim(others -> plan(1, PinningMode.AUTO, others));
            };
        List<Integer> cpus = new ArrayList<>();
        for (Future<CpuClaims.Claim> group : threads.invokeAll(List.of(startGroup, startGroup))) {
          cpus.add(group.get().plan().cpu(0));
          // closed only after both have planned, since invokeAll waits for both
          group.get().close();
        }
        assertThat(cpus).containsExactlyInAnyOrder(0, 1);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static PinningPlan plan(int shards, PinningMode mode, CpuSet others) {
    return PinningPlan.of(
        new PinningInputs(
            shards,
            mode,
            null,
            new AllowedCpus(CpuSet.of(0, 1), true, "a test"),
            2,
            CpuQuota.none(),
            null,
            others));
  }
}
