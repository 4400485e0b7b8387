package io.penstock.shards;

import io.penstock.shards.core.Backend;
import io.penstock.shards.loop.LoopOptions;
import io.penstock.shards.loop.StallListener;
import io.penstock.shards.loop.TurnMonitor;
import io.penstock.shards.pinning.CpuSet;
import io.penstock.shards.pinning.PinningMode;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How a group of shards is made. Immutable; begin with {@link #defaults()}.
 *
 * @param name part of the threads' names
 * @param backend the one to use, or empty for the best there is
 * @param shards how many, or 0 for one per CPU that the process may use
 * @param pinning whether threads are pinned to CPUs
 * @param cpus the CPUs to use, or empty for all that are allowed
 * @param spin how long a shard looks for work before it parks; empty for the default: 20 us where
 *     each shard has a CPU to itself, else not at all
 * @param taskBudget how long tasks may run in one turn before I/O gets its turn
 * @param stallBudget how long a turn may take before it is reported
 * @param stallListener told of such turns, on a thread of the watch
 * @param segmentBudgetBytes memory for segments, per shard
 * @param maxConnectionsPerShard connections that a shard may have open
 * @param ringEntries submission entries of an io_uring; the kernel rounds up to a power of two
 * @param completionEntries its completion entries: what the kernel may tell before it is asked;
 *     more waits in the kernel, at the price of system calls
 * @param copyBelowBytes segments shorter than this that are written one after another are copied
 *     together; longer ones leave by reference, as pieces of a gather; 0 for no copies
 */
public record ShardGroupOptions(
    String name,
    Optional<Backend> backend,
    int shards,
    PinningMode pinning,
    Optional<CpuSet> cpus,
    Optional<Duration> spin,
    Duration taskBudget,
    Duration stallBudget,
    StallListener stallListener,
    long segmentBudgetBytes,
    int maxConnectionsPerShard,
    int ringEntries,
    int completionEntries,
    int copyBelowBytes) {

  private static final ShardGroupOptions DEFAULTS =
      new ShardGroupOptions(
          "penstock",
          Optional.empty(),
          0,
          PinningMode.AUTO,
          Optional.empty(),
          Optional.empty(),
          Duration.ofNanos(LoopOptions.defaults().taskBudgetNanos()),
          TurnMonitor.DEFAULT_BUDGET,
          StallListener.logging(),
          128L << 20,
          Integer.MAX_VALUE,
          4096,
          1 << 14,
          1 << 10);

  public ShardGroupOptions {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(backend, "backend");
    Objects.requireNonNull(pinning, "pinning");
    Objects.requireNonNull(cpus, "cpus");
    Objects.requireNonNull(spin, "spin");
    requireNotNegative("shards", shards);
    requireNotNegative("copyBelowBytes", copyBelowBytes);
    requirePositive("taskBudget", taskBudget);
    requirePositive("stallBudget", stallBudget);
    if (spin.isPresent() && spin.get().isNegative()) {
      throw new IllegalArgumentException("spin must not be negative: " + spin.get());
    }
    if (maxConnectionsPerShard <= 0) {
      throw new IllegalArgumentException(
          "maxConnectionsPerShard must be positive: " + maxConnectionsPerShard);
    }
    if (ringEntries < 8 || ringEntries > 32_768) {
      throw new IllegalArgumentException("ringEntries must be in 8..32768: " + ringEntries);
    }
    if (completionEntries < ringEntries || completionEntries > 65_536) {
      throw new IllegalArgumentException(
          "completionEntries must be in ringEntries..65536: %d, of %d ringEntries"
              .formatted(completionEntries, ringEntries));
    }
  }

  /** The best backend, a shard per usable CPU, pinning and spinning where that is safe. */
  public static ShardGroupOptions defaults() {
    return DEFAULTS;
  }

  public ShardGroupOptions withName(String newName) {
    return new ShardGroupOptions(
        newName,
        backend,
        shards,
        pinning,
        cpus,
        spin,
        taskBudget,
        stallBudget,
        stallListener,
        segmentBudgetBytes,
        maxConnectionsPerShard,
        ringEntries,
        completionEntries,
        copyBelowBytes);
  }

  public ShardGroupOptions withBackend(Backend newBackend) {
    return new ShardGroupOptions(
        name,
        Optional.of(newBackend),
        shards,
        pinning,
        cpus,
        spin,
        taskBudget,
        stallBudget,
        stallListener,
        segmentBudgetBytes,
        maxConnectionsPerShard,
        ringEntries,
        completionEntries,
        copyBelowBytes);
  }

  public ShardGroupOptions withShards(int newShards) {
    return new ShardGroupOptions(
        name,
        backend,
        newShards,
        pinning,
        cpus,
        spin,
        taskBudget,
        stallBudget,
        stallListener,
        segmentBudgetBytes,
        maxConnectionsPerShard,
        ringEntries,
        completionEntries,
        copyBelowBytes);
  }

  public ShardGroupOptions withPinning(PinningMode newPinning) {
    return new ShardGroupOptions(
        name,
        backend,
        shards,
        newPinning,
        cpus,
        spin,
        taskBudget,
        stallBudget,
        stallListener,
        segmentBudgetBytes,
        maxConnectionsPerShard,
        ringEntries,
        completionEntries,
        copyBelowBytes);
  }

  public ShardGroupOptions withCpus(CpuSet newCpus) {
    return new ShardGroupOptions(
        name,
        backend,
        shards,
        pinning,
        Optional.of(newCpus),
        spin,
        taskBudget,
        stallBudget,
        stallListener,
        segmentBudgetBytes,
        maxConnectionsPerShard,
        ringEntries,
        completionEntries,
        copyBelowBytes);
  }

  public ShardGroupOptions withSpin(Duration newSpin) {
    return new ShardGroupOptions(
        name,
        backend,
        shards,
        pinning,
        cpus,
        Optional.of(newSpin),
        taskBudget,
        stallBudget,
        stallListener,
        segmentBudgetBytes,
        maxConnectionsPerShard,
        ringEntries,
        completionEntries,
        copyBelowBytes);
  }

  public ShardGroupOptions withTaskBudget(Duration newBudget) {
    return new ShardGroupOptions(
        name,
        backend,
        shards,
        pinning,
        cpus,
        spin,
        newBudget,
        stallBudget,
        stallListener,
        segmentBudgetBytes,
        maxConnectionsPerShard,
        ringEntries,
        completionEntries,
        copyBelowBytes);
  }

  public ShardGroupOptions withStallBudget(Duration newBudget) {
    return new ShardGroupOptions(
        name,
        backend,
        shards,
        pinning,
        cpus,
        spin,
        taskBudget,
        newBudget,
        stallListener,
        segmentBudgetBytes,
        maxConnectionsPerShard,
        ringEntries,
        completionEntries,
        copyBelowBytes);
  }

  public ShardGroupOptions withStallListener(StallListener newListener) {
    return new ShardGroupOptions(
        name,
        backend,
        shards,
        pinning,
        cpus,
        spin,
        taskBudget,
        stallBudget,
        newListener,
        segmentBudgetBytes,
        maxConnectionsPerShard,
        ringEntries,
        completionEntries,
        copyBelowBytes);
  }

  public ShardGroupOptions withSegmentBudgetBytes(long newBudgetBytes) {
    return new ShardGroupOptions(
        name,
        backend,
        shards,
        pinning,
        cpus,
        spin,
        taskBudget,
        stallBudget,
        stallListener,
        newBudgetBytes,
        maxConnectionsPerShard,
        ringEntries,
        completionEntries,
        copyBelowBytes);
  }

  public ShardGroupOptions withMaxConnectionsPerShard(int newMax) {
    return new ShardGroupOptions(
        name,
        backend,
        shards,
        pinning,
        cpus,
        spin,
        taskBudget,
        stallBudget,
        stallListener,
        segmentBudgetBytes,
        newMax,
        ringEntries,
        completionEntries,
        copyBelowBytes);
  }

  public ShardGroupOptions withRingEntries(int newEntries) {
    return new ShardGroupOptions(
        name,
        backend,
        shards,
        pinning,
        cpus,
        spin,
        taskBudget,
        stallBudget,
        stallListener,
        segmentBudgetBytes,
        maxConnectionsPerShard,
        newEntries,
        completionEntries,
        copyBelowBytes);
  }

  public ShardGroupOptions withCompletionEntries(int newEntries) {
    return new ShardGroupOptions(
        name,
        backend,
        shards,
        pinning,
        cpus,
        spin,
        taskBudget,
        stallBudget,
        stallListener,
        segmentBudgetBytes,
        maxConnectionsPerShard,
        ringEntries,
        newEntries,
        copyBelowBytes);
  }

  public ShardGroupOptions withCopyBelowBytes(int newBytes) {
    return new ShardGroupOptions(
        name,
        backend,
        shards,
        pinning,
        cpus,
        spin,
        taskBudget,
        stallBudget,
        stallListener,
        segmentBudgetBytes,
        maxConnectionsPerShard,
        ringEntries,
        completionEntries,
        newBytes);
  }

  private static void requirePositive(String what, Duration value) {
    Objects.requireNonNull(value, what);
    if (value.isZero() || value.isNegative()) {
      throw new IllegalArgumentException(what + " must be positive: " + value);
    }
  }

  private static void requireNotNegative(String what, int value) {
    if (value < 0) {
      throw new IllegalArgumentException(what + " must not be negative: " + value);
    }
  }
}
