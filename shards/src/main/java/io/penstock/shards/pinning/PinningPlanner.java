package io.penstock.shards.pinning;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/** Computes one {@link PinningPlan}. For one thread, for one use. */
final class PinningPlanner {
  private final PinningInputs inputs;
  private final CpuSet allowed;
  private final List<String> notes = new ArrayList<>();

  PinningPlanner(PinningInputs inputs) {
    this.inputs = inputs;
    this.allowed = inputs.allowed().cpus();
  }

  PinningPlan plan() {
    requireExplicitCpusAllowed();
    notes.addAll(inputs.quota().problems());
    if (!inputs.allowed().known()) {
      notes.add(
          "the allowed CPUs are not known, assuming " + allowed + ": " + inputs.allowed().source());
    }
    int shards = shardCount();
    List<Integer> cpuOfShard =
        pins(shards) ? spread(shards) : Collections.nCopies(shards, PinningPlan.UNPINNED);
    return new PinningPlan(shards, cpuOfShard, spins(shards, cpuOfShard), notes);
  }

  private void requireExplicitCpusAllowed() {
    if (inputs.explicitCpus() == null || !inputs.allowed().known()) {
      return;
    }
    CpuSet outside = inputs.explicitCpus().minus(allowed);
    if (!outside.isEmpty()) {
      throw new IllegalArgumentException(
          "cannot pin to CPU"
              + (outside.size() == 1 ? " " : "s ")
              + outside
              + ": this process may use only "
              + allowed
              + " (from "
              + inputs.allowed().source()
              + ")");
    }
  }

  private int shardCount() {
    if (inputs.requestedShards() > 0) {
      return inputs.requestedShards();
    }
    if (inputs.explicitCpus() != null) {
      return inputs.explicitCpus().size();
    }
    if (inputs.availableProcessors() < allowed.size()) {
      notes.add(
          count(inputs.availableProcessors(), "shard")
              + " for "
              + count(allowed.size(), "allowed CPU")
              + ", since the JVM reports "
              + count(inputs.availableProcessors(), "processor"));
    }
    return Math.min(allowed.size(), inputs.availableProcessors());
  }

  private boolean pins(int shards) {
    if (inputs.mode() == PinningMode.OFF) {
      notes.add("not pinned: pinning is off");
      return false;
    }
    boolean asked = isAsked();
    if (inputs.nativeUnavailable() != null) {
      notes.add(
          (asked ? "not pinned though asked: " : "not pinned: ") + inputs.nativeUnavailable());
      return false;
    }
    return asked || eachShardHasAWholeCpu(shards);
  }

  private boolean isAsked() {
    return inputs.mode() == PinningMode.ON || inputs.explicitCpus() != null;
  }

  /** For automatic pinning; says why not. */
  private boolean eachShardHasAWholeCpu(int shards) {
    CpuSet free = allowed.minus(inputs.claimedByOthers());
    String why = null;
    if (!inputs.allowed().known()) {
      why = "the allowed CPUs are not known";
    } else if (quotaIsBelowAllowed()) {
      why = quotaBelowAllowed();
    } else if (shards > allowed.size()) {
      why = count(shards, "shard") + " on " + count(allowed.size(), "allowed CPU") + " " + allowed;
    } else if (shards > free.size()) {
      why =
          count(shards, "shard")
              + ", but of the allowed CPUs "
              + allowed
              + " other groups of this JVM are pinned to "
              + allowed.intersect(inputs.claimedByOthers());
    }
    if (why != null) {
      notes.add("not pinned: " + why);
    }
    return why == null;
  }

  /**
   * One CPU for each shard, those first that no other group holds, from the beginning again when
   * they run out.
   */
  private List<Integer> spread(int shards) {
    CpuSet candidates = inputs.explicitCpus() == null ? allowed : inputs.explicitCpus();
    CpuSet claimed = inputs.claimedByOthers();
    List<Integer> order =
        Stream.concat(
                candidates.minus(claimed).stream().boxed(),
                candidates.intersect(claimed).stream().boxed())
            .toList();
    List<Integer> cpuOfShard = new ArrayList<>(shards);
    for (int shard = 0; shard < shards; shard++) {
      cpuOfShard.add(order.get(shard % order.size()));
    }
    if (shards > order.size()) {
      notes.add(count(shards, "shard") + " on " + count(order.size(), "CPU") + ": pins wrap");
    }
    CpuSet shared =
        CpuSet.of(cpuOfShard.stream().mapToInt(Integer::intValue).toArray()).intersect(claimed);
    if (!shared.isEmpty()) {
      notes.add(
          "CPU"
              + (shared.size() == 1 ? " " : "s ")
              + shared
              + " shared with another group of this JVM");
    }
    if (quotaIsBelowAllowed()) {
      notes.add("pinned although the " + quotaBelowAllowed());
    }
    return cpuOfShard;
  }

  /**
   * Spinning costs nobody anything only if each shard has a whole CPU that nobody else was
   * promised.
   */
  private boolean spins(int shards, List<Integer> cpuOfShard) {
    CpuSet claimed = inputs.claimedByOthers();
    boolean pinned = cpuOfShard.get(0) != PinningPlan.UNPINNED;
    boolean cpuOfItsOwn =
        pinned
            ? cpuOfShard.stream().distinct().count() == shards
                && cpuOfShard.stream().noneMatch(claimed::contains)
            : shards <= allowed.minus(claimed).size();
    if (inputs.allowed().known()
        && cpuOfItsOwn
        && !quotaIsBelowAllowed()
        && shards <= inputs.availableProcessors()) {
      return true;
    }
    notes.add("not spinning by default: the shards do not have whole CPUs to themselves");
    return false;
  }

  private boolean quotaIsBelowAllowed() {
    return inputs.quota().cpus().orElse(Double.POSITIVE_INFINITY) < allowed.size();
  }

  private String quotaBelowAllowed() {
    BigDecimal cpus =
        BigDecimal.valueOf(inputs.quota().cpus().orElseThrow())
            .setScale(2, RoundingMode.HALF_UP)
            .stripTrailingZeros();
    return "CFS quota of "
        + cpus.toPlainString()
        + (cpus.compareTo(BigDecimal.ONE) == 0 ? " CPU" : " CPUs")
        + " is below the "
        + count(allowed.size(), "allowed CPU");
  }

  static String count(int number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }
}
