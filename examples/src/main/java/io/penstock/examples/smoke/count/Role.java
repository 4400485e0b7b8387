package io.penstock.examples.smoke.count;

/** Which end of a connection, and where it counts what both ends count. */
public enum Role {
  CLIENT(
      Count.CLIENTS_OPENED,
      Count.CLIENTS_CLOSED,
      Count.RETURNED_BYTES,
      Count.CLIENTS_FILLED,
      Count.CLIENTS_FREED),
  SERVER(
      Count.SERVERS_OPENED,
      Count.SERVERS_CLOSED,
      Count.ECHOED_BYTES,
      Count.SERVERS_FILLED,
      Count.SERVERS_FREED);

  private final Count opened;
  private final Count closed;
  private final Count bytes;
  private final Count filled;
  private final Count freed;

  Role(Count opened, Count closed, Count bytes, Count filled, Count freed) {
    this.opened = opened;
    this.closed = closed;
    this.bytes = bytes;
    this.filled = filled;
    this.freed = freed;
  }

  public void opened(Tally tally) {
    tally.increment(opened);
  }

  public void closed(Tally tally) {
    tally.increment(closed);
  }

  public void received(Tally tally, int lengthBytes) {
    tally.increment(Count.RECEIVES);
    tally.add(Count.RECEIVED_BYTES, lengthBytes);
    tally.add(bytes, lengthBytes);
  }

  /** It can send no more for now. */
  public void filled(Tally tally) {
    tally.increment(filled);
  }

  /** It can send again. */
  public void freed(Tally tally) {
    tally.increment(freed);
  }
}
