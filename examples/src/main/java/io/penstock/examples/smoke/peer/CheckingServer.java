package io.penstock.examples.smoke.peer;

import io.penstock.examples.smoke.count.Count;
import io.penstock.examples.smoke.wire.Peer;
import io.penstock.examples.smoke.wire.Wire;

/** An echo server that compares each byte that comes with the one that the client sent. */
public final class CheckingServer implements Peer {
  private final EchoServer server;
  private final Pattern.View expected;
  private long offset;

  public CheckingServer(Pattern pattern, boolean outOfBand) {
    this.server = new EchoServer(outOfBand);
    this.expected = pattern.view();
  }

  @Override
  public void onOpened(Wire wire) {
    server.onOpened(wire);
  }

  @Override
  public void onReceived(Wire wire, int lengthBytes) {
    wire.tally().add(Count.SERVER_MISMATCHES, expected.mismatches(wire.received(), offset));
    offset += lengthBytes;
    server.onReceived(wire, lengthBytes);
  }

  @Override
  public void onPeerFinished(Wire wire) {
    server.onPeerFinished(wire);
  }

  @Override
  public void onWritable(Wire wire) {
    server.onWritable(wire);
  }

  @Override
  public void onClosed(Wire wire) {
    server.onClosed(wire);
  }
}
