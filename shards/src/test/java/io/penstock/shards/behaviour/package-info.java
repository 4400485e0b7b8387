/**
 * How connections and listeners behave, one body for all backends: what the kernel decides is
 * tested with its real sockets.
 */
package io.penstock.shards.behaviour;
