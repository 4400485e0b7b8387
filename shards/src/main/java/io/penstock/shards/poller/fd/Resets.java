package io.penstock.shards.poller.fd;

import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes a close reset the peer: SO_LINGER on with 0 seconds (socket(7)). */
final class Resets {
  private static final Logger LOG = LoggerFactory.getLogger(Resets.class);

  private Resets() {}

  static void prepare(FdSocket socket) {
    try {
      socket.linger(0);
    } catch (IOException e) {
      // EINVAL for a socket whose peer has reset it already: there is nobody left to reset.
      LOG.debug("{} closes without a reset", socket, e);
    }
  }
}
