package io.penstock.examples.smoke.peer;

import io.penstock.examples.smoke.wire.OutOfBand;
import io.penstock.examples.smoke.wire.Peer;
import io.penstock.examples.smoke.wire.Wire;
import java.util.function.Consumer;

/** A server that lets another thread send, and receives nothing. */
public final class SendingServer implements Peer {
  private final Consumer<OutOfBand> opened;

  /**
   * The server's end of one connection.
   *
   * @param opened told what to send with; on the thread that runs the callbacks
   */
  public SendingServer(Consumer<OutOfBand> opened) {
    this.opened = opened;
  }

  @Override
  public void onOpened(Wire wire) {
    opened.accept(wire.outOfBand());
  }

  @Override
  public void onReceived(Wire wire, int lengthBytes) {
    throw new IllegalStateException("a client that sends nothing sent " + lengthBytes + " bytes");
  }

  @Override
  public void onPeerFinished(Wire wire) {
    wire.close();
  }

  @Override
  public void onWritable(Wire wire) {
    // Whoever sends tries again by itself.
  }

  @Override
  public void onClosed(Wire wire) {
    // Nothing is held.
  }
}
