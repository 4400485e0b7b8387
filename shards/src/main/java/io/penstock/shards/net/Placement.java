package io.penstock.shards.net;

/**
 * Chooses the shard of a connection that an acceptor took. Called on the accepting shard, from one
 * thread at a time.
 */
@FunctionalInterface
public interface Placement {

  /**
   * The index of the shard to use.
   *
   * @param openCounts open connections of each shard, those under way to it included; not to be
   *     kept or changed
   */
  int choose(int[] openCounts);

  /** One after the other. */
  static Placement roundRobin() {
    return new Placement() {
      private int next;

      @Override
      public int choose(int[] openCounts) {
        next = next + 1 >= openCounts.length ? 0 : next + 1;
        return next;
      }
    };
  }

  /** The shard with the fewest; among equals, one after the other. */
  static Placement leastConnections() {
    return new Placement() {
      private int start;

      @Override
      public int choose(int[] openCounts) {
        start = start + 1 >= openCounts.length ? 0 : start + 1;
        int best = start;
        for (int i = 1; i < openCounts.length; i++) {
          int candidate = (start + i) % openCounts.length;
          if (openCounts[candidate] < openCounts[best]) {
            best = candidate;
          }
        }
        return best;
      }
    };
  }

  /** Always that shard. */
  static Placement fixed(int shard) {
    if (shard < 0) {
      throw new IllegalArgumentException("shard must not be negative: " + shard);
    }
    return openCounts -> {
      if (shard >= openCounts.length) {
        throw new IllegalArgumentException(
            "fixed placement on shard " + shard + " of " + openCounts.length);
      }
      return shard;
    };
  }
}
