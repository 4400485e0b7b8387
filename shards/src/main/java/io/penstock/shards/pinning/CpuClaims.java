package io.penstock.shards.pinning;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Who is pinned where in this JVM, so that two groups do not share a CPU without saying so. Any
 * thread. The registry reaches as far as this class does: groups that another class loader brought
 * are not seen.
 */
public final class CpuClaims {
  private static final CpuClaims PROCESS_WIDE = new CpuClaims();

  // Guarded by "this": planning and claiming are one step, or two groups would plan for the same
  // CPU.
  private final Map<Integer, Integer> groupsOnCpu = new HashMap<>();

  CpuClaims() {}

  public static CpuClaims processWide() {
    return PROCESS_WIDE;
  }

  /**
   * Plans with what others hold now and claims what the plan pins to. Nothing is claimed if the
   * planner throws.
   *
   * @param planner gets the CPUs that others hold; runs under a lock
   */
  public synchronized Claim claim(Function<CpuSet, PinningPlan> planner) {
    PinningPlan plan = planner.apply(claimed());
    plan.cpus().stream().forEach(cpu -> groupsOnCpu.merge(cpu, 1, Integer::sum));
    return new Claim(this, plan);
  }

  /** The CPUs that any group holds now. */
  public synchronized CpuSet claimed() {
    return CpuSet.of(groupsOnCpu.keySet().stream().mapToInt(Integer::intValue).toArray());
  }

  private synchronized void release(Claim claim) {
    if (claim.released) {
      return;
    }
    claim.released = true;
    claim.plan.cpus().stream()
        .forEach(cpu -> groupsOnCpu.computeIfPresent(cpu, (k, n) -> n == 1 ? null : n - 1));
  }

  /** A group's hold on its CPUs, until it is closed. Closing again does nothing. */
  public static final class Claim implements AutoCloseable {
    private final CpuClaims claims;
    private final PinningPlan plan;
    private boolean released; // guarded by "claims"

    private Claim(CpuClaims claims, PinningPlan plan) {
      this.claims = claims;
      this.plan = plan;
    }

    public PinningPlan plan() {
      return plan;
    }

    @Override
    public void close() {
      claims.release(this);
    }
  }
}
