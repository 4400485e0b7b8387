package io.penstock.shards.pinning;

import io.penstock.shards.os.Libc;

/**
 * All that decides a {@link PinningPlan}.
 *
 * @param requestedShards how many shards were asked for; 0 lets the plan choose
 * @param explicitCpus the CPUs to pin to, which implies pinning; null if none were named
 * @param availableProcessors what the JVM reports
 * @param quota the control groups' limit
 * @param nativeUnavailable why no thread can be pinned here; null if it can
 * @param claimedByOthers CPUs that other groups of this JVM are pinned to
 */
public record PinningInputs(
    int requestedShards,
    PinningMode mode,
    CpuSet explicitCpus,
    AllowedCpus allowed,
    int availableProcessors,
    CpuQuota quota,
    String nativeUnavailable,
    CpuSet claimedByOthers) {

  public PinningInputs {
    if (requestedShards < 0) {
      throw new IllegalArgumentException(
          "shards must be 1 or more, or 0 for automatic, but is " + requestedShards);
    }
    if (availableProcessors < 1) {
      throw new IllegalArgumentException("availableProcessors is " + availableProcessors);
    }
    if (explicitCpus != null && explicitCpus.isEmpty()) {
      throw new IllegalArgumentException("the set of CPUs to pin to is empty");
    }
    if (explicitCpus != null && mode == PinningMode.OFF) {
      throw new IllegalArgumentException(
          "CPUs " + explicitCpus + " to pin to were given, but pinning is off");
    }
  }

  /** What was asked for, with what the system says now. */
  public static PinningInputs ofThisProcess(
      int requestedShards, PinningMode mode, CpuSet explicitCpus, CpuSet claimedByOthers) {
    return new PinningInputs(
        requestedShards,
        mode,
        explicitCpus,
        AllowedCpus.ofThisProcess(),
        Runtime.getRuntime().availableProcessors(),
        CpuQuota.ofThisProcess(),
        Libc.unavailableReason(),
        claimedByOthers);
  }
}
