package io.penstock.shards.loop;

/**
 * What a shard leaves behind about a turn that went over its budget. Immutable.
 *
 * @param number how many stalls the shard has had, with this one
 * @param turn the turn, as counted by the monitor
 * @param phase the last phase of the turn
 * @param what the last thing that ran, null if the phase named none
 */
record EndedStall(long number, long turn, long durationNanos, Phase phase, String what) {}
