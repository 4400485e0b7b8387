package io.penstock.examples.smoke.peer;

import io.penstock.examples.smoke.count.Count;
import io.penstock.examples.smoke.wire.Peer;
import io.penstock.examples.smoke.wire.Wire;

/** A client that compares each byte that comes back with the one sent. */
public final class CheckingClient implements Peer {
  private final WindowClient client;
  private final Pattern.View expected;
  private long offset;

  public CheckingClient(Traffic traffic, Runnable whenClosed) {
    this.client = new WindowClient(traffic, whenClosed);
    this.expected = traffic.pattern().view();
  }

  @Override
  public void onOpened(Wire wire) {
    client.onOpened(wire);
  }

  @Override
  public void onReceived(Wire wire, int lengthBytes) {
    wire.tally().add(Count.CLIENT_MISMATCHES, expected.mismatches(wire.received(), offset));
    offset += lengthBytes;
    client.onReceived(wire, lengthBytes);
  }

  @Override
  public void onPeerFinished(Wire wire) {
    client.onPeerFinished(wire);
  }

  @Override
  public void onWritable(Wire wire) {
    client.onWritable(wire);
  }

  @Override
  public void onClosed(Wire wire) {
    client.onClosed(wire);
  }
}
