/** What a shard counts about itself: one writer each, readable from any thread. */
package io.penstock.shards.metrics;
