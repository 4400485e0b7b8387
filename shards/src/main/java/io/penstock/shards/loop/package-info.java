/** The turn of a shard and what it is made of: timers, phases, and the watch over its length. */
package io.penstock.shards.loop;
