package io.penstock.shards.poller.nio;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.core.PeerCredentials;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.memory.SegmentQueue;
import io.penstock.shards.poller.BindFailures;
import io.penstock.shards.poller.ConnectRequest;
import io.penstock.shards.poller.IoResult;
import io.penstock.shards.poller.SocketEvents;
import io.penstock.shards.poller.StreamSocket;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A stream socket as a channel of the JDK. */
@OnShard
final class NioStreamSocket implements StreamSocket, NioHandle {
  private static final Logger LOG = LoggerFactory.getLogger(NioStreamSocket.class);

  private final NioPoller poller;
  private final NioContext context;
  private final SocketChannel channel;
  private final boolean unix;
  private final SocketEvents events;
  private final Endpoint remote;
  private SelectionKey key;
  private int connectResult;
  private int interest;
  private boolean closed;
  // Remembered at the end, as the channel forgets it.
  private Endpoint knownLocal;

  private NioStreamSocket(
      NioPoller poller,
      SocketChannel channel,
      SocketEvents events,
      Endpoint remote,
      int connectResult) {
    this.poller = poller;
    this.context = poller.context;
    this.channel = channel;
    this.unix = remote.isUnix();
    this.events = events;
    this.remote = remote;
    this.connectResult = connectResult;
  }

  static NioStreamSocket connect(NioPoller poller, ConnectRequest request, SocketEvents events)
      throws IOException {
    SocketChannel channel = SocketChannel.open(NioAddresses.family(request.remote()));
    try {
      channel.configureBlocking(false);
      NioOptions.applyToStream(channel, request.remote(), request.options());
      if (request.local() != null) {
        bind(channel, request.local());
      }
      int result = tryConnect(channel, request);
      NioStreamSocket socket =
          new NioStreamSocket(poller, channel, events, request.remote(), result);
      if (result != IoResult.WOULD_BLOCK) {
        socket.register(result == 0 ? 0 : SelectionKey.OP_CONNECT);
      }
      return socket;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static void bind(SocketChannel channel, Endpoint local) throws IOException {
    try {
      channel.bind(NioAddresses.address(local));
    } catch (IOException e) {
      throw BindFailures.of(local, e);
    }
  }

  private static int tryConnect(SocketChannel channel, ConnectRequest request) throws IOException {
    try {
      return channel.connect(NioAddresses.address(request.remote())) ? 0 : IoResult.PENDING;
    } catch (IOException e) {
      int result = NioErrors.resultOf(e);
      if (result == IoResult.WOULD_BLOCK) {
        return result;
      }
      ConnectException refused =
          new ConnectException("connect to " + request.remote() + " failed: " + e.getMessage());
      refused.initCause(e);
      throw refused;
    }
  }

  static NioStreamSocket adopt(NioPoller poller, NioAcceptedSocket accepted, SocketEvents events)
      throws IOException {
    NioStreamSocket socket =
        new NioStreamSocket(poller, accepted.channel(), events, accepted.remote(), 0);
    try {
      socket.register(0);
    } catch (IOException e) {
      accepted.discard(true);
      throw e;
    }
    return socket;
  }

  private void register(int ops) throws IOException {
    interest = ops;
    key = channel.register(poller.selector(), ops, this);
  }

  @Override
  public void onReady(int readyOps) {
    if ((readyOps & SelectionKey.OP_CONNECT) != 0) {
      finishConnect();
      return;
    }
    if ((readyOps & SelectionKey.OP_READ) != 0) {
      events.onReadable(false);
    }
    if ((readyOps & SelectionKey.OP_WRITE) != 0 && !closed) {
      setInterest(interest & ~SelectionKey.OP_WRITE);
      events.onWritable();
    }
  }

  @Override
  public void onUnhandled() {
    events.onBroken(IoResult.EIO);
  }

  private void finishConnect() {
    int result;
    try {
      context.called();
      result = channel.finishConnect() ? 0 : IoResult.PENDING;
    } catch (IOException e) {
      result = NioErrors.resultOf(e);
    }
    if (result == IoResult.PENDING) {
      return;
    }
    connectResult = result;
    if (result == 0) {
      // Not after a failure: then the JDK has closed the channel, and its key knows no interest.
      setInterest(0);
    }
    events.onConnected(result);
  }

  @Override
  public int connectResult() {
    return connectResult;
  }

  @Override
  public void wantReceive(boolean wanted, boolean unbounded) {
    setInterest(wanted ? interest | SelectionKey.OP_READ : interest & ~SelectionKey.OP_READ);
  }

  @Override
  public void wantWritable(boolean wanted) {
    setInterest(wanted ? interest | SelectionKey.OP_WRITE : interest & ~SelectionKey.OP_WRITE);
  }

  private void setInterest(int ops) {
    if (ops != interest && !closed) {
      interest = ops;
      key.interestOps(ops);
    }
  }

  @Override
  public int receive(Segment into) {
    context.called();
    int from = into.to();
    try {
      ByteBuffer room = into.writable();
      int n = channel.read(room);
      if (n > 0) {
        into.range(into.from(), from + n);
        return n;
      }
      return n < 0 ? 0 : IoResult.WOULD_BLOCK;
    } catch (IOException e) {
      return NioErrors.resultOf(e);
    }
  }

  @Override
  public long write(SegmentQueue queue) {
    context.called();
    try {
      long n =
          queue.size() == 1
              ? channel.write(queue.get(0).readable())
              : channel.write(context.gather, 0, context.fill(queue));
      return n > 0 ? n : IoResult.WOULD_BLOCK;
    } catch (IOException e) {
      return NioErrors.resultOf(e);
    }
  }

  @Override
  public int lookForBreak() {
    try {
      return poller.isBroken(channel) ? IoResult.EPIPE : 0;
    } catch (IOException e) {
      return NioErrors.resultOf(e);
    }
  }

  @Override
  public void finish() throws IOException {
    context.called();
    channel.shutdownOutput();
  }

  @Override
  public void close(boolean reset) {
    if (closed) {
      return;
    }
    closed = true;
    context.called();
    knownLocal = local();
    NioAcceptedSocket.close(channel, reset && !unix);
    if (key == null) {
      events.onReleased();
    } else {
      poller.releaseLater(events);
    }
  }

  @Override
  public Endpoint remote() {
    return remote;
  }

  @Override
  public Endpoint local() {
    if (knownLocal != null) {
      return knownLocal;
    }
    try {
      return NioAddresses.endpoint(channel.getLocalAddress());
    } catch (IOException e) {
      LOG.debug("{} has no local address any more", channel, e);
      return NioAddresses.endpoint(null);
    }
  }

  @Override
  public PeerCredentials peerCredentials() throws IOException {
    return NioAddresses.peerOf(channel, remote);
  }

  @Override
  public String toString() {
    return channel.toString();
  }
}
