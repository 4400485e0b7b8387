package io.penstock.shards;

import io.penstock.shards.core.Backend;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a group really runs on.
 *
 * @param backend the backend of all its shards
 * @param passedOver better backends that were not used, each with the reason
 * @param shards what became of each shard
 * @param spinNanos how long a shard looks for work before it parks
 * @param copyBelowBytes segments shorter than this are copied together when they are written one
 *     after another
 * @param notes what else whoever runs it should know
 */
public record StartupReport(
    Backend backend,
    List<PassedOver> passedOver,
    List<ShardStart> shards,
    long spinNanos,
    int copyBelowBytes,
    List<String> notes) {

  /** A backend that was not used, and why. */
  public record PassedOver(Backend backend, String reason) {}

  /**
   * A shard that runs.
   *
   * @param cpu the CPU it is pinned to, or -1
   * @param unpinnedReason why pinning failed although it was planned, or null
   */
  public record ShardStart(int index, int cpu, String unpinnedReason) {}

  public StartupReport {
    passedOver = List.copyOf(passedOver);
    shards = List.copyOf(shards);
    notes = List.copyOf(notes);
  }

  /** The CPUs that shards are pinned to, such as {@code 0,1}, or {@code none}. */
  public String cpus() {
    List<ShardStart> pinned = shards.stream().filter(shard -> shard.cpu() >= 0).toList();
    if (pinned.isEmpty()) {
      return "none";
    }
    return pinned.stream()
        .map(shard -> Integer.toString(shard.cpu()))
        .collect(Collectors.joining(","));
  }

  /** All of it on one line. */
  public String line() {
    StringBuilder line = new StringBuilder();
    line.append("backend=").append(backend.label());
    line.append(" shards=").append(shards.size());
    line.append(" pinned=").append(cpus());
    line.append(" spin=").append(spinNanos / 1000).append("us");
    line.append(" copy-below=").append(copyBelowBytes).append("B");
    for (PassedOver other : passedOver) {
      line.append("; not ").append(other.backend().label()).append(": ").append(other.reason());
    }
    for (ShardStart shard : shards) {
      if (shard.unpinnedReason() != null) {
        line.append("; shard ").append(shard.index()).append(" is not pinned: ");
        line.append(shard.unpinnedReason());
      }
    }
    for (String note : notes) {
      line.append("; ").append(note);
    }
    return line.toString();
  }
}
