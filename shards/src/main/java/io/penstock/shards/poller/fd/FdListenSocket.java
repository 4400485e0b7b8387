package io.penstock.shards.poller.fd;

import io.netty.channel.unix.Errors.NativeIoException;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.core.SocketOptions;
import io.penstock.shards.poller.AcceptEvents;
import io.penstock.shards.poller.DetachedListener;
import io.penstock.shards.poller.IoResult;
import io.penstock.shards.poller.ListenSocket;
import io.penstock.shards.poller.UnixSocketFile;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A listening descriptor: told that somebody waits, it accepts until nobody does, a bounded number
 * a turn. A backend says how it is watched.
 */
@OnShard
public abstract class FdListenSocket implements ListenSocket {
  private static final Logger LOG = LoggerFactory.getLogger(FdListenSocket.class);

  /** Connections accepted in a row before others get their turn. */
  private static final int ACCEPTS_A_TURN = 64;

  /**
   * Length byte, 16 bytes of address, scope and port of 4 bytes each, as Netty's accept fills it.
   */
  private static final int ACCEPT_ADDRESS_BYTES = 26;

  protected final FdContext context;
  protected final FdSocket socket;
  private final AcceptEvents events;
  private final Endpoint local;
  private final SocketOptions acceptedOptions;
  private final UnixSocketFile file;
  private final byte[] acceptAddress = new byte[ACCEPT_ADDRESS_BYTES];
  private boolean wanted;
  private boolean pending;
  private boolean closed;

  protected FdListenSocket(FdContext context, BoundSocket bound, AcceptEvents events) {
    this.context = context;
    this.socket = bound.socket();
    this.local = bound.local();
    this.acceptedOptions = bound.acceptedOptions();
    this.file = bound.file();
    this.events = events;
  }

  /** Stops watching; the descriptor stays open. */
  protected abstract void unwatch();

  /** Has {@link #onReady} called in the next turn: more wait than one turn accepts. */
  protected abstract void continueLater();

  protected final void onReady() {
    pending = true;
    if (!wanted || closed) {
      return;
    }
    if (acceptSome(ACCEPTS_A_TURN)) {
      continueLater();
    }
  }

  @Override
  public void wantAccept(boolean accept) {
    wanted = accept;
    if (accept && pending && !closed) {
      continueLater();
    }
  }

  @Override
  public void acceptQueued() {
    wanted = true;
    while (!closed && acceptSome(ACCEPTS_A_TURN)) {
      // Until the queue is empty or accepting fails.
    }
  }

  /** True if there may be more. */
  private boolean acceptSome(int limit) {
    for (int i = 0; i < limit; i++) {
      if (closed || !wanted) {
        return false;
      }
      int descriptor;
      try {
        context.called(1);
        descriptor = socket.accept(acceptAddress);
      } catch (NativeIoException e) {
        if (e.expectedErr() == IoResult.ECONNABORTED) {
          continue;
        }
        pending = true;
        events.onAcceptFailed(e.expectedErr());
        return false;
      } catch (IOException e) {
        pending = true;
        events.onAcceptFailed(IoResult.EIO);
        return false;
      }
      if (descriptor < 0) {
        pending = false;
        return false;
      }
      hand(descriptor);
    }
    return true;
  }

  private void hand(int descriptor) {
    FdSocket accepted = socket.accepted(descriptor);
    FdAcceptedSocket handed = new FdAcceptedSocket(accepted, remoteOf());
    try {
      FdOptions.apply(accepted, FdSocket.isIpv6(local), acceptedOptions);
    } catch (IOException e) {
      // The peer reset it before it was accepted, or an option does not fit: this one only.
      LOG.debug("dropped a connection from {} at accept", handed.remote(), e);
      handed.discard(true);
      return;
    }
    events.onAccepted(handed);
  }

  private Endpoint remoteOf() {
    if (socket.isUnix()) {
      return new Endpoint.UnixUnnamed();
    }
    int lengthBytes = acceptAddress[0];
    int addressBytes = lengthBytes == 8 ? 4 : 16;
    try {
      InetAddress address =
          InetAddress.getByAddress(Arrays.copyOfRange(acceptAddress, 1, 1 + addressBytes));
      int port = ByteBuffer.wrap(acceptAddress).getInt(1 + lengthBytes - 4);
      return new Endpoint.Tcp(new InetSocketAddress(address, port));
    } catch (UnknownHostException e) {
      throw new AssertionError("4 or 16 bytes are an address: " + addressBytes, e);
    }
  }

  @Override
  public Endpoint local() {
    return local;
  }

  @Override
  public DetachedListener detach() {
    closed = true;
    unwatch();
    return new FdDetachedListener(new BoundSocket(socket, local, acceptedOptions, file));
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    closeSocket();
  }

  /** Stops watching, closes the descriptor and tells that it is closed. */
  protected void closeSocket() {
    unwatch();
    BoundSocket.close(socket, file);
    closed();
  }

  /** Tells that the descriptor is closed. */
  protected final void closed() {
    events.onClosed();
  }

  /** Refuses who connects at once, although the descriptor must stay open for a while. */
  protected final void closeAddress() {
    if (file != null) {
      file.deleteIfOurs();
    }
    try {
      socket.shutdown();
    } catch (IOException e) {
      LOG.debug("{} was not listening any more", local, e);
    }
  }
}
