package io.penstock.shards.poller.fd;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.PeerCredentials;
import io.penstock.shards.poller.AcceptedSocket;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A descriptor that accept(2) gave and no poller watches yet. */
final class FdAcceptedSocket implements AcceptedSocket {
  private static final Logger LOG = LoggerFactory.getLogger(FdAcceptedSocket.class);

  final FdSocket socket;
  private final Endpoint remote;

  FdAcceptedSocket(FdSocket socket, Endpoint remote) {
    this.socket = socket;
    this.remote = remote;
  }

  @Override
  public Endpoint remote() {
    return remote;
  }

  @Override
  public PeerCredentials peerCredentials() throws IOException {
    return socket.peer();
  }

  @Override
  public void discard(boolean reset) {
    if (reset && !socket.isUnix()) {
      Resets.prepare(socket);
    }
    try {
      socket.close();
    } catch (IOException e) {
      LOG.warn("closing {} failed", socket, e);
    }
  }
}
