/**
 * Connections and listeners: their states, demand, output queue and ways to end. Knows no socket
 * but through the seam in {@code poller}.
 */
package io.penstock.shards.net;
