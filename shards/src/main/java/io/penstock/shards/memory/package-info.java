/**
 * Pooled off-heap memory: segments with one owner each, the pool they come from, and queues of
 * them.
 */
package io.penstock.shards.memory;
