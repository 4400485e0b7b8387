package io.penstock.shards.poller;

import io.penstock.shards.core.AnyThread;
import io.penstock.shards.core.Backend;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.core.SocketOptions;
import io.penstock.shards.memory.MemoryAddress;
import java.io.IOException;

/**
 * One kernel interface of one shard: makes sockets and tells them what the kernel has for them.
 *
 * <p>Sockets report to their events from inside {@link #poll}, and from no other call unless it
 * says so. What an event throws never leaves the poller.
 */
@OnShard
public interface Poller {

  Backend backend();

  /** Binds the poller to the calling thread, the shard's. Once, before the first poll. */
  void start() throws IOException;

  /**
   * Hands out what the kernel has; waits for something if there is nothing and the wait allows it.
   *
   * @return how many events were handed out
   * @throws IOException if the kernel interface itself failed; the shard cannot go on
   */
  int poll(PollWait wait) throws IOException;

  /** Ends the wait that the shard is in or is about to enter. */
  @AnyThread
  void wakeUp();

  /**
   * True if {@link SocketEvents#onBroken} comes also for a socket from which nothing is to be
   * received.
   */
  boolean reportsBrokenWhileParked();

  /** Starts to connect. Ask {@link StreamSocket#connectResult()} whether it is over already. */
  StreamSocket connect(ConnectRequest request, SocketEvents events) throws IOException;

  /** Takes over a socket that a listener of this backend accepted, of whatever shard. */
  StreamSocket adopt(AcceptedSocket accepted, SocketEvents events) throws IOException;

  /** Binds and listens. */
  ListenSocket listen(ListenRequest request, AcceptEvents events) throws IOException;

  /** Goes on listening on what another shard's poller of this backend let go of. */
  ListenSocket adopt(DetachedListener listener, AcceptEvents events) throws IOException;

  /** Listens on a descriptor that was bound and is listening already, inherited or passed in. */
  ListenSocket adoptDescriptor(int descriptor, SocketOptions accepted, AcceptEvents events)
      throws IOException;

  /** How this backend finds the native address of memory. */
  MemoryAddress memoryAddresses();

  /** System calls made so far, as far as they can be counted here. */
  long systemCalls();

  /** Gives all back to the kernel. Sockets must be closed, and released, before. */
  void close();
}
