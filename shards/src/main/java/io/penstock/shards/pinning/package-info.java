/**
 * Which CPUs the process has, which of them a shard is pinned to, and why not where it is not. The
 * plan is a pure function of what was read from the system, so that every case can be tested as a
 * table; only {@link io.penstock.shards.pinning.Affinity} changes anything. It stands on {@code os}
 * and nothing else of this module.
 */
package io.penstock.shards.pinning;
