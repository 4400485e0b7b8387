package io.penstock.shards.pinning;

import java.util.List;

/**
 * How many shards run, on which CPUs, and why. Immutable, for any thread.
 *
 * @param shardCount at least 1
 * @param cpuOfShard for each shard its CPU, or {@link #UNPINNED}; all are pinned or none is
 * @param spinsByDefault true if each shard has a CPU to burn while it waits for work; a spin budget
 *     that was asked for by name does not need this
 * @param notes what a reader of the start-up report should know, each in one sentence
 */
public record PinningPlan(
    int shardCount, List<Integer> cpuOfShard, boolean spinsByDefault, List<String> notes) {
  public static final int UNPINNED = -1;

  public PinningPlan {
    cpuOfShard = List.copyOf(cpuOfShard);
    notes = List.copyOf(notes);
    if (shardCount < 1 || cpuOfShard.size() != shardCount) {
      throw new IllegalArgumentException(
          "a plan for " + shardCount + " shards with the CPUs " + cpuOfShard);
    }
  }

  /**
   * A pure function of its input.
   *
   * @throws IllegalArgumentException if a CPU was named that the process may not use
   */
  public static PinningPlan of(PinningInputs inputs) {
    return new PinningPlanner(inputs).plan();
  }

  public boolean pinned() {
    return cpuOfShard.get(0) != UNPINNED;
  }

  /** The CPU of this shard, from 0, or {@link #UNPINNED}. */
  public int cpu(int shard) {
    return cpuOfShard.get(shard);
  }

  /** All CPUs that shards are pinned to; empty if none is. */
  public CpuSet cpus() {
    return pinned()
        ? CpuSet.of(cpuOfShard.stream().mapToInt(Integer::intValue).toArray())
        : CpuSet.of();
  }

  /** One line without the notes, for example {@code 2 shards pinned to CPUs 0,1, spinning}. */
  public String describe() {
    StringBuilder text = new StringBuilder();
    text.append(PinningPlanner.count(shardCount, "shard"));
    if (pinned()) {
      text.append(" pinned to CPU").append(shardCount == 1 ? " " : "s ");
      text.append(String.join(",", cpuOfShard.stream().map(String::valueOf).toList()));
    } else {
      text.append(" unpinned");
    }
    return text.append(spinsByDefault ? ", spinning" : ", not spinning").toString();
  }
}
