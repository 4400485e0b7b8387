package io.penstock.examples.smoke.peer;

import io.penstock.examples.smoke.count.Count;
import io.penstock.examples.smoke.wire.Peer;
import io.penstock.examples.smoke.wire.Wire;

/** A client that sends nothing, checks so many bytes and then ends. */
public final class CheckingReceiver implements Peer {
  private final Pattern.View expected;
  private final long messageBytes;
  private final long expectedBytes;
  private long offset;

  /**
   * A client that has not begun.
   *
   * @param messageBytes after which the pattern begins anew
   * @param expectedBytes after which it ends
   */
  public CheckingReceiver(Pattern pattern, long messageBytes, long expectedBytes) {
    this.expected = pattern.view();
    this.messageBytes = messageBytes;
    this.expectedBytes = expectedBytes;
  }

  @Override
  public void onOpened(Wire wire) {
    // The server speaks.
  }

  @Override
  public void onReceived(Wire wire, int lengthBytes) {
    var received = wire.received();
    while (received.hasRemaining()) {
      long inMessage = offset % messageBytes;
      int part = (int) Math.min(received.remaining(), messageBytes - inMessage);
      var bytes = received.duplicate().limit(received.position() + part);
      wire.tally().add(Count.CLIENT_MISMATCHES, expected.mismatches(bytes, inMessage));
      received.position(received.position() + part);
      offset += part;
    }
    if (offset >= expectedBytes) {
      wire.close();
    }
  }

  @Override
  public void onPeerFinished(Wire wire) {
    wire.close();
  }

  @Override
  public void onWritable(Wire wire) {
    // It never writes.
  }

  @Override
  public void onClosed(Wire wire) {
    if (offset < expectedBytes) {
      wire.tally().increment(Count.CLIENTS_CUT_OFF);
    }
  }
}
