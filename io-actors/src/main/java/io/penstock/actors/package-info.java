/** Listeners, connectors and connections as typed actors that run on the shard of their sockets. */
package io.penstock.actors;
