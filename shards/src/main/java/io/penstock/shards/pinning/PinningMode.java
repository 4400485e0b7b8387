package io.penstock.shards.pinning;

/** Whether the shards' threads are pinned. */
public enum PinningMode {
  /** Pinned only where the process has whole CPUs to itself and each shard gets one of its own. */
  AUTO,
  /** Pinned always, inside the allowed CPUs; shards share CPUs where there are too few. */
  ON,
  /** Never pinned. */
  OFF
}
