package io.penstock.examples.smoke.peer;

import io.penstock.examples.smoke.count.Role;
import io.penstock.examples.smoke.wire.Peer;
import io.penstock.examples.smoke.wire.Wire;

/** Sends back what comes, and receives no more while it can send no more. */
public final class EchoServer implements Peer {
  private final boolean outOfBand;
  private boolean filled;

  /**
   * The server's end of one connection.
   *
   * @param outOfBand whether a thread of its own sends the replies
   */
  public EchoServer(boolean outOfBand) {
    this.outOfBand = outOfBand;
  }

  @Override
  public void onOpened(Wire wire) {
    // The client speaks first.
  }

  @Override
  public void onReceived(Wire wire, int lengthBytes) {
    if (outOfBand) {
      wire.echoOutOfBand();
    } else {
      wire.echo();
    }
    if (!filled && !wire.isWritable()) {
      filled = true;
      Role.SERVER.filled(wire.tally());
      wire.pause();
    }
  }

  @Override
  public void onPeerFinished(Wire wire) {
    wire.close();
  }

  @Override
  public void onWritable(Wire wire) {
    if (filled) {
      filled = false;
      Role.SERVER.freed(wire.tally());
      wire.resume();
    }
  }

  @Override
  public void onClosed(Wire wire) {
    if (filled) {
      filled = false;
      Role.SERVER.freed(wire.tally());
    }
  }
}
