package io.penstock.shards.net;

/** Where a connection is in its life. It only moves down this list. */
public enum ConnectionState {
  /** The connect is under way; what is written waits. */
  CONNECTING,
  /** Both sides may still send, or one of them has finished. */
  OPEN,
  /** Close was asked: what is queued is still sent, nothing more is taken. */
  CLOSING,
  /** All is sent and finished; what the peer still sends is discarded until it ends. */
  LINGERING,
  /** Over; the handler has been told. */
  CLOSED
}
