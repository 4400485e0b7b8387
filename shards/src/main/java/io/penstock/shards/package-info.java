/**
 * The types to begin with: a {@link io.penstock.shards.ShardGroup} of {@link
 * io.penstock.shards.Shard}s, their options and their report. Everything below is wired here.
 */
package io.penstock.shards;
