package io.penstock.shards.lifecycle;

import io.penstock.shards.ShardGroupOptions;
import io.penstock.shards.core.Backend;
import io.penstock.shards.pinning.PinningMode;

/** Groups for tests that start many. */
final class Groups {
  private Groups() {}

  static ShardGroupOptions small(Backend backend, int shards) {
    return small(shards).withBackend(backend);
  }

  /** On the best backend there is. */
  static ShardGroupOptions small(int shards) {
    return ShardGroupOptions.defaults()
        .withName("penstock-test")
        .withShards(shards)
        .withPinning(PinningMode.OFF)
        .withRingEntries(64)
        .withSegmentBudgetBytes(1 << 20);
  }
}
