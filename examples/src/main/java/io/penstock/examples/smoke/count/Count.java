package io.penstock.examples.smoke.count;

/** What the ends of the connections count. All only grow; what is now is a difference of two. */
public enum Count {
  /** Bytes that came back to clients. */
  RETURNED_BYTES,
  /** Bytes that servers received. */
  ECHOED_BYTES,
  /** Receive callbacks of both ends. */
  RECEIVES,
  /** Bytes of those. */
  RECEIVED_BYTES,
  CLIENTS_OPENED,
  CLIENTS_CLOSED,
  SERVERS_OPENED,
  SERVERS_CLOSED,
  /** Clients that ended before they had done what they were to do. */
  CLIENTS_CUT_OFF,
  /** Times a client could send no more for now. */
  CLIENTS_FILLED,
  /** Times that was over. */
  CLIENTS_FREED,
  /** Times a server could send no more for now, so that it stopped to receive. */
  SERVERS_FILLED,
  /** Times that was over. */
  SERVERS_FREED,
  /** Bytes that came back to clients other than they were sent. */
  CLIENT_MISMATCHES,
  /** Bytes that reached servers other than they were sent. */
  SERVER_MISMATCHES
}
