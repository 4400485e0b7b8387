package io.penstock.shards.poller;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.core.PeerCredentials;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.memory.SegmentQueue;
import java.io.IOException;

/**
 * One connected or connecting stream socket of a shard's poller.
 *
 * <p>Bytes handed in stay the caller's. A write that answers {@link IoResult#PENDING} needs them
 * until {@link SocketEvents#onWritten}, which comes even if the socket is closed meanwhile.
 */
@OnShard
public interface StreamSocket {

  /** Segments in one gather: IOV_MAX of Linux (limits.h); writev(2) refuses more. */
  int MAX_GATHER_SEGMENTS = 1024;

  /**
   * How a connect stands when the poller returns the socket: 0 for connected, {@link
   * IoResult#PENDING} if {@link SocketEvents#onConnected} will tell, {@link IoResult#WOULD_BLOCK}
   * if a Unix socket's backlog is full and it must be tried again with a new socket.
   */
  int connectResult();

  /**
   * Says whether received bytes are wanted. While they are, {@link SocketEvents#onReadable} or
   * {@link SocketEvents#onReceived} comes; while they are not, only the end of the peer is noticed,
   * where the backend can.
   *
   * @param unbounded true if any number is wanted; a backend may then let the kernel fill its own
   *     buffers
   */
  void wantReceive(boolean wanted, boolean unbounded);

  /**
   * Receives into the segment's room, making what came readable.
   *
   * @return bytes received; 0 at the end of the peer's bytes; {@link IoResult#WOULD_BLOCK}; or a
   *     failure
   */
  int receive(Segment into);

  /**
   * Sends from the front of the queue, one segment plainly, several as one gather.
   *
   * @return bytes the kernel took, which may be less than there are; {@link IoResult#WOULD_BLOCK};
   *     {@link IoResult#PENDING}; or a failure
   */
  long write(SegmentQueue queue);

  /** Says whether {@link SocketEvents#onWritable} is wanted, after a write that would block. */
  void wantWritable(boolean wanted);

  /**
   * Looks whether the connection is broken, where no event tells; see {@link
   * Poller#reportsBrokenWhileParked()}.
   *
   * @return a failure, or 0
   */
  int lookForBreak();

  /** Tells the peer that nothing more comes. */
  void finish() throws IOException;

  /**
   * Gives the socket up. {@link SocketEvents#onReleased} follows, from inside this call where
   * nothing is in flight; nothing else comes after it.
   *
   * @param reset true to drop what the kernel still holds and reset the peer
   */
  void close(boolean reset);

  /** The peer's address as it was at accept or connect. */
  Endpoint remote();

  /** The own address. */
  Endpoint local();

  /** Who is at the other end of a Unix socket. */
  PeerCredentials peerCredentials() throws IOException;
}
