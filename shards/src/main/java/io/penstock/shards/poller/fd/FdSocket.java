package io.penstock.shards.poller.fd;

import io.netty.channel.ChannelException;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Errors.NativeIoException;
import io.netty.channel.unix.Socket;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.PeerCredentials;
import io.penstock.shards.poller.BindFailures;
import io.penstock.shards.poller.IoResult;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.NotYetConnectedException;

/** A stream socket by its descriptor: Netty's calls, with results in place of exceptions. */
public final class FdSocket extends Socket {
  /** socket(7) SOL_SOCKET and SO_PEERCRED; asm-generic/socket.h. */
  private static final int SOL_SOCKET = 1;

  private static final int SO_PEERCRED = 17;

  /** socket(7) SO_DOMAIN, and the family it answers for Unix sockets (bits/socket.h). */
  private static final int SO_DOMAIN = 39;

  private static final int AF_UNIX = 1;

  /** socket(7) SO_ACCEPTCONN. */
  private static final int SO_ACCEPTCONN = 30;

  /** struct ucred of unix(7): pid, uid and gid. */
  private static final int UCRED_BYTES = 12;

  private final boolean unix;
  // A time to linger is set, in which close would block.
  private boolean lingers;

  FdSocket(int descriptor, boolean unix) {
    super(descriptor);
    this.unix = unix;
  }

  /**
   * A socket made elsewhere, of whatever family it is.
   *
   * @throws IOException if the descriptor is no socket that listens
   */
  static FdSocket ofListening(int descriptor) throws IOException {
    FdSocket socket;
    boolean listening;
    try {
      Socket unknown = new Socket(descriptor);
      socket = new FdSocket(descriptor, unknown.getIntOpt(SOL_SOCKET, SO_DOMAIN) == AF_UNIX);
      listening = unknown.getIntOpt(SOL_SOCKET, SO_ACCEPTCONN) != 0;
      socket.lingers = unknown.getSoLinger() > 0;
    } catch (IOException | ChannelException | IllegalArgumentException e) {
      throw new IOException("descriptor " + descriptor + " is no socket: " + e.getMessage(), e);
    }
    if (!listening) {
      throw new IOException("descriptor " + descriptor + " is a socket that does not listen");
    }
    return socket;
  }

  /** A new socket that fits the endpoint. */
  static FdSocket create(Endpoint endpoint) {
    if (endpoint.isUnix()) {
      return new FdSocket(newSocketDomain0(), true);
    }
    return new FdSocket(newSocketStream0(isIpv6(endpoint)), false);
  }

  static boolean isIpv6(Endpoint endpoint) {
    return endpoint instanceof Endpoint.Tcp tcp
        && tcp.address().getAddress() instanceof Inet6Address;
  }

  public boolean isUnix() {
    return unix;
  }

  /** A socket that this one, which listens, has accepted. */
  FdSocket accepted(int descriptor) {
    FdSocket accepted = new FdSocket(descriptor, unix);
    accepted.lingers = lingers;
    return accepted;
  }

  /** Seconds to linger, of which 0 makes a close reset the peer. */
  void linger(int seconds) throws IOException {
    setSoLinger(seconds);
    lingers = seconds > 0;
  }

  /** Never waits: the kernel goes on by itself with what it holds, whatever the time to linger. */
  @Override
  public void close() throws IOException {
    if (lingers) {
      setSoLinger(-1);
    }
    super.close();
  }

  /** As recv(2): bytes, 0 at the end, or a negated errno. */
  int tryReceive(long address, int from, int to) {
    try {
      int n = recvAddress(address, from, to);
      return n > 0 ? n : n == 0 ? IoResult.WOULD_BLOCK : 0;
    } catch (NativeIoException e) {
      return e.expectedErr();
    } catch (IOException e) {
      return IoResult.EIO;
    }
  }

  /** As send(2): bytes or a negated errno. */
  int trySend(long address, int from, int to) {
    try {
      int n = sendAddress(address, from, to);
      return n > 0 ? n : IoResult.WOULD_BLOCK;
    } catch (NativeIoException e) {
      return e.expectedErr();
    } catch (IOException e) {
      return IoResult.EIO;
    }
  }

  /** As writev(2): bytes or a negated errno. */
  long tryGather(long iovecs, int count) {
    try {
      long n = writevAddresses(iovecs, count);
      return n > 0 ? n : IoResult.WOULD_BLOCK;
    } catch (NativeIoException e) {
      return e.expectedErr();
    } catch (IOException e) {
      return IoResult.EIO;
    }
  }

  /**
   * The pending error of the socket, negated; 0 for none. Asking clears it (socket(7) SO_ERROR).
   */
  int takeError() {
    try {
      return -getSoError();
    } catch (IOException e) {
      return IoResult.EIO;
    }
  }

  void finishOutput() throws IOException {
    try {
      shutdown(false, true);
    } catch (NotYetConnectedException e) {
      throw new IOException("the peer is gone: " + IoResult.describe(IoResult.ENOTCONN), e);
    }
  }

  Endpoint localEndpoint() {
    if (unix) {
      return unixEndpoint(localDomainSocketAddress());
    }
    return tcpEndpoint(localAddress());
  }

  Endpoint remoteEndpoint() {
    if (unix) {
      return unixEndpoint(remoteDomainSocketAddress());
    }
    return tcpEndpoint(remoteAddress());
  }

  PeerCredentials peer() throws IOException {
    if (!unix) {
      throw new IOException("a TCP socket has no peer credentials");
    }
    ByteBuffer ucred = ByteBuffer.allocateDirect(UCRED_BYTES).order(ByteOrder.nativeOrder());
    getRawOpt(SOL_SOCKET, SO_PEERCRED, ucred);
    return new PeerCredentials(ucred.getInt(0), ucred.getInt(4), ucred.getInt(8), null);
  }

  /** Binds to a TCP address or an abstract name; never to a path, see {@link BoundSocket}. */
  void bindTo(Endpoint endpoint) throws IOException {
    try {
      bind(nettyAddress(endpoint));
    } catch (IOException e) {
      throw BindFailures.of(endpoint, e);
    }
  }

  static SocketAddress nettyAddress(Endpoint endpoint) {
    if (endpoint instanceof Endpoint.Tcp tcp) {
      return tcp.address();
    }
    if (endpoint instanceof Endpoint.UnixPath path) {
      return new DomainSocketAddress(path.path());
    }
    if (endpoint instanceof Endpoint.UnixAbstract named) {
      return new DomainSocketAddress("\0" + named.name());
    }
    throw new IllegalArgumentException("no address to bind or connect: " + endpoint);
  }

  private static Endpoint tcpEndpoint(InetSocketAddress address) {
    // Null for a peer that was gone before it was asked for (getpeername(2), ENOTCONN).
    return new Endpoint.Tcp(
        address == null ? InetSocketAddress.createUnresolved("unknown", 0) : address);
  }

  private static Endpoint unixEndpoint(DomainSocketAddress address) {
    if (address == null || address.path().isEmpty()) {
      return new Endpoint.UnixUnnamed();
    }
    String path = address.path();
    if (path.charAt(0) != '\0') {
      return new Endpoint.UnixPath(path);
    }
    return path.length() > 1
        ? new Endpoint.UnixAbstract(path.substring(1))
        : new Endpoint.UnixUnnamed();
  }
}
