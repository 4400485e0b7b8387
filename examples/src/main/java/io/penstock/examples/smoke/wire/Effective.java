package io.penstock.examples.smoke.wire;

import java.util.List;

/**
 * What really runs.
 *
 * @param backend what carries the connections
 * @param shards how many shards there are
 * @param pinned how many of them are pinned
 * @param cpus the CPUs they are pinned to, in their order, or none
 * @param spinMicros how long a shard looks for work before it sleeps
 * @param workers threads of the control's pool, 0 where there is none
 * @param notes what else to know, such as why a better backend was refused
 */
public record Effective(
    String backend,
    int shards,
    int pinned,
    String cpus,
    long spinMicros,
    int workers,
    List<String> notes) {
  public Effective {
    notes = List.copyOf(notes);
  }

  /** True, False, or how many of the shards. */
  public String pin() {
    if (pinned == 0) {
      return "False";
    }
    return pinned == shards ? "True" : pinned + "/" + shards;
  }
}
