/**
 * Which backends can run here, and precisely why the others cannot. It asks Netty, but is written
 * so that any Netty on the class path, of another version or missing, leads to a reason and not to
 * a {@link java.lang.LinkageError}.
 */
package io.penstock.shards.poller.probe;
