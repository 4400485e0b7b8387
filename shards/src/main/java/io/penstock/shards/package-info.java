/** The types a user meets first: a group of shards, one shard, and their options. */
package io.penstock.shards;
