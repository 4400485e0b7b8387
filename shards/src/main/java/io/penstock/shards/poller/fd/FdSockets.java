package io.penstock.shards.poller.fd;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.core.SocketOptions;
import io.penstock.shards.poller.AcceptEvents;
import io.penstock.shards.poller.AcceptedSocket;
import io.penstock.shards.poller.ConnectRequest;
import io.penstock.shards.poller.DetachedListener;
import io.penstock.shards.poller.IoResult;
import io.penstock.shards.poller.ListenRequest;
import io.penstock.shards.poller.ListenSocket;
import io.penstock.shards.poller.SocketEvents;
import io.penstock.shards.poller.StreamSocket;
import java.io.IOException;
import java.net.ConnectException;

/** Makes descriptors and has a backend watch them; closes them when that fails. */
@OnShard
public final class FdSockets {

  /** How a backend makes its kind of socket of a descriptor. */
  public interface Watcher {
    StreamSocket watch(FdSocket socket, SocketEvents events, Endpoint remote, boolean connecting)
        throws IOException;

    ListenSocket watch(BoundSocket bound, AcceptEvents events) throws IOException;
  }

  private final Watcher watcher;
  private final FdContext context;

  public FdSockets(Watcher watcher, FdContext context) {
    this.watcher = watcher;
    this.context = context;
  }

  /** As the poller's connect. */
  public StreamSocket connect(ConnectRequest request, SocketEvents events) throws IOException {
    FdSocket socket = FdSocket.create(request.remote());
    boolean handedOver = false;
    try {
      FdOptions.requireConnectingFit(request.remote(), request.options());
      FdOptions.apply(socket, FdSocket.isIpv6(request.remote()), request.options());
      if (request.local() != null) {
        socket.bindTo(request.local());
      }
      context.called(2);
      int result = tryConnect(socket, request);
      StreamSocket watched =
          result == IoResult.WOULD_BLOCK
              ? new BacklogFullSocket(socket, events)
              : watcher.watch(socket, events, request.remote(), result == IoResult.PENDING);
      handedOver = true;
      return watched;
    } finally {
      if (!handedOver) {
        socket.close();
      }
    }
  }

  /** 0, pending, or would-block for a Unix listener's full backlog (unix(7), EAGAIN). */
  private static int tryConnect(FdSocket socket, ConnectRequest request) throws IOException {
    try {
      return socket.connect(FdSocket.nettyAddress(request.remote())) ? 0 : IoResult.PENDING;
    } catch (IOException e) {
      int result = ConnectErrors.resultOf(e);
      if (result == IoResult.WOULD_BLOCK && socket.isUnix()) {
        return result;
      }
      ConnectException refused =
          new ConnectException(
              "connect to " + request.remote() + " failed: " + IoResult.describe(result));
      refused.initCause(e);
      throw refused;
    }
  }

  /** As the poller's adopt of an accepted socket. */
  public StreamSocket adopt(AcceptedSocket accepted, SocketEvents events) throws IOException {
    FdAcceptedSocket fd = (FdAcceptedSocket) accepted;
    boolean handedOver = false;
    try {
      StreamSocket watched = watcher.watch(fd.socket, events, fd.remote(), false);
      handedOver = true;
      return watched;
    } finally {
      if (!handedOver) {
        fd.discard(true);
      }
    }
  }

  /** As the poller's listen. */
  public ListenSocket listen(ListenRequest request, AcceptEvents events) throws IOException {
    return watch(BoundSocket.listen(request), events);
  }

  /** As the poller's adopt of a detached listener. */
  public ListenSocket adopt(DetachedListener listener, AcceptEvents events) throws IOException {
    return watch(((FdDetachedListener) listener).bound(), events);
  }

  /** As the poller's adopt of a descriptor. */
  public ListenSocket adoptDescriptor(int descriptor, SocketOptions accepted, AcceptEvents events)
      throws IOException {
    return watch(BoundSocket.adopt(descriptor, accepted), events);
  }

  private ListenSocket watch(BoundSocket bound, AcceptEvents events) throws IOException {
    boolean handedOver = false;
    try {
      ListenSocket watched = watcher.watch(bound, events);
      handedOver = true;
      return watched;
    } finally {
      if (!handedOver) {
        BoundSocket.close(bound.socket(), bound.file());
      }
    }
  }
}
