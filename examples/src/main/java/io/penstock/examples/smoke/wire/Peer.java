package io.penstock.examples.smoke.wire;

/** What one end of a connection does. Its callbacks come one at a time. */
public interface Peer {

  void onOpened(Wire wire);

  /** That many bytes came; they are {@link Wire#received()}. */
  void onReceived(Wire wire, int lengthBytes);

  /** The other end sends nothing more. */
  void onPeerFinished(Wire wire);

  /** The wire could take no more and can again. */
  void onWritable(Wire wire);

  /** It is over; the last callback. */
  void onClosed(Wire wire);
}
