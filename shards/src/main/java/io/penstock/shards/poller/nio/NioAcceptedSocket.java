package io.penstock.shards.poller.nio;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.PeerCredentials;
import io.penstock.shards.poller.AcceptedSocket;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An accepted channel that no selector watches yet. */
record NioAcceptedSocket(SocketChannel channel, Endpoint remote) implements AcceptedSocket {
  private static final Logger LOG = LoggerFactory.getLogger(NioAcceptedSocket.class);

  @Override
  public PeerCredentials peerCredentials() throws IOException {
    return NioAddresses.peerOf(channel, remote);
  }

  @Override
  public void discard(boolean reset) {
    close(channel, reset && !remote.isUnix());
  }

  static void close(SocketChannel channel, boolean reset) {
    if (reset) {
      try {
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
      } catch (IOException e) {
        // EINVAL for a socket whose peer has reset it already: there is nobody left to reset.
        LOG.debug("{} closes without a reset", channel, e);
      }
    }
    try {
      channel.close();
    } catch (IOException e) {
      LOG.warn("closing {} failed", channel, e);
    }
  }
}
