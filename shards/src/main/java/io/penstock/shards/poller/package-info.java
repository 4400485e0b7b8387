/** The seam between a shard and the kernel. Each backend is a package below this one. */
package io.penstock.shards.poller;
