package io.penstock.shards.poller.fd;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.core.PeerCredentials;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.memory.SegmentQueue;
import io.penstock.shards.poller.IoResult;
import io.penstock.shards.poller.SocketEvents;
import io.penstock.shards.poller.StreamSocket;
import java.io.IOException;

/**
 * A stream socket that is told of readiness, as edges, and moves bytes by plain calls. A backend
 * says how the readiness is asked for and how the socket is let go of.
 */
@OnShard
public abstract class FdStreamSocket implements StreamSocket {
  /** poll(2) and epoll_ctl(2) share these numbers (asm-generic/poll.h, linux/eventpoll.h). */
  public static final int READABLE = 0x001;

  public static final int WRITABLE = 0x004;
  public static final int ERROR = 0x008;
  public static final int HANG_UP = 0x010;
  public static final int PEER_FINISHED = 0x2000;

  protected final FdContext context;
  protected final FdSocket socket;
  protected final SocketEvents events;
  private final Endpoint knownRemote;
  private boolean connecting;
  private boolean receiveWanted;
  private boolean writableWanted;
  private boolean closed;
  // Remembered at the end: the descriptor's number may be another socket's by the time one asks.
  private Endpoint knownLocal;

  protected FdStreamSocket(
      FdContext context,
      FdSocket socket,
      SocketEvents events,
      Endpoint knownRemote,
      boolean connecting) {
    this.context = context;
    this.socket = socket;
    this.events = events;
    this.knownRemote = knownRemote;
    this.connecting = connecting;
  }

  /** Asks for readiness to write, too, or no longer. */
  protected abstract void armWritable(boolean armed);

  /** The socket has connected: whoever did not ask for received bytes before does now. */
  protected void watchConnected() {}

  /** Lets go of the descriptor, closes it, and tells {@link SocketEvents#onReleased}. */
  protected abstract void release();

  /** Takes what the kernel says is ready. */
  protected final void onReady(int mask) {
    if (closed) {
      return;
    }
    if (connecting) {
      if ((mask & (WRITABLE | ERROR | HANG_UP)) != 0) {
        finishConnect();
      }
      return;
    }
    if ((mask & ERROR) != 0 && !receiveWanted) {
      int error = socket.takeError();
      if (error != 0) {
        events.onBroken(error);
        return;
      }
    }
    if ((mask & ~WRITABLE) != 0) {
      events.onReadable((mask & (PEER_FINISHED | HANG_UP | ERROR)) != 0);
    }
    if ((mask & (WRITABLE | ERROR | HANG_UP)) != 0 && writableWanted && !closed) {
      writableWanted = false;
      events.onWritable();
      if (!writableWanted && !closed && socket.isUnix()) {
        // A Unix socket says so each time the peer has read; a TCP socket only after it was full.
        armWritable(false);
      }
    }
  }

  private void finishConnect() {
    int result;
    try {
      context.called(1);
      result = socket.finishConnect() ? 0 : IoResult.PENDING;
    } catch (IOException e) {
      result = ConnectErrors.resultOf(e);
    }
    if (result != IoResult.PENDING) {
      connecting = false;
      armWritable(false);
      if (result == 0) {
        watchConnected();
      }
      events.onConnected(result);
    }
  }

  @Override
  public int connectResult() {
    return connecting ? IoResult.PENDING : 0;
  }

  @Override
  public void wantReceive(boolean wanted, boolean unbounded) {
    receiveWanted = wanted;
  }

  @Override
  public int receive(Segment into) {
    context.called(1);
    int from = into.to();
    int n = socket.tryReceive(into.address(), from, into.capacity());
    if (n > 0) {
      into.range(into.from(), from + n);
    }
    return n;
  }

  @Override
  public long write(SegmentQueue queue) {
    context.called(1);
    if (queue.size() == 1) {
      Segment only = queue.get(0);
      return socket.trySend(only.address(), only.from(), only.to());
    }
    return socket.tryGather(context.iovecs.address(), context.iovecs.fill(queue));
  }

  @Override
  public void wantWritable(boolean wanted) {
    writableWanted = wanted;
    if (wanted) {
      armWritable(true);
    }
  }

  @Override
  public int lookForBreak() {
    return socket.takeError();
  }

  @Override
  public void finish() throws IOException {
    context.called(1);
    socket.finishOutput();
  }

  @Override
  public void close(boolean reset) {
    if (closed) {
      return;
    }
    knownLocal = local();
    closed = true;
    if (reset && !socket.isUnix()) {
      Resets.prepare(socket);
    }
    release();
  }

  protected final boolean isClosed() {
    return closed;
  }

  @Override
  public Endpoint remote() {
    return knownRemote != null ? knownRemote : socket.remoteEndpoint();
  }

  @Override
  public Endpoint local() {
    return closed ? knownLocal : socket.localEndpoint();
  }

  @Override
  public PeerCredentials peerCredentials() throws IOException {
    if (closed) {
      throw new IOException("the connection is over");
    }
    return socket.peer();
  }
}
