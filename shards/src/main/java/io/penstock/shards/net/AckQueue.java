package io.penstock.shards.net;

import java.util.Arrays;

/** Acknowledgements that wait for their byte to leave, in order. Allocates only when it grows. */
final class AckQueue {
  private WriteAck[] acks = new WriteAck[4];
  private long[] positions = new long[4];
  private int head;
  private int size;

  boolean isEmpty() {
    return size == 0;
  }

  /** Tells the ack once that many bytes of the connection have left. */
  void add(long position, WriteAck ack) {
    if (size == acks.length) {
      grow();
    }
    int at = (head + size) & (acks.length - 1);
    acks[at] = ack;
    positions[at] = position;
    size++;
  }

  /** The first ack if it is due at that position, taken out; else null. */
  WriteAck pollDue(long position) {
    return size > 0 && positions[head] <= position ? poll() : null;
  }

  /** The first ack, taken out; null when there is none. */
  WriteAck poll() {
    if (size == 0) {
      return null;
    }
    WriteAck first = acks[head];
    acks[head] = null;
    head = (head + 1) & (acks.length - 1);
    size--;
    return first;
  }

  private void grow() {
    int capacity = acks.length;
    WriteAck[] largerAcks = new WriteAck[capacity * 2];
    long[] largerPositions = Arrays.copyOf(positions, capacity * 2);
    for (int i = 0; i < size; i++) {
      int at = (head + i) & (capacity - 1);
      largerAcks[i] = acks[at];
      largerPositions[i] = positions[at];
    }
    acks = largerAcks;
    positions = largerPositions;
    head = 0;
  }
}
