package io.penstock.examples.smoke.managed;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Bytes that a connection has yet to send. For whoever holds the connection's lock. */
final class Outgoing {
  /** From here on nothing more is taken; the same as a shard's connection has. */
  private static final int HIGH_WATERMARK_BYTES = 1 << 20;

  private static final int LOW_WATERMARK_BYTES = 1 << 18;
  private static final int FIRST_CAPACITY_BYTES = 1 << 14;

  // Between its calls in the state to be filled.
  private ByteBuffer bytes = ByteBuffer.allocateDirect(FIRST_CAPACITY_BYTES);
  private boolean full;

  boolean isEmpty() {
    return bytes.position() == 0;
  }

  boolean isFull() {
    return full;
  }

  void add(ByteBuffer more) {
    if (bytes.remaining() < more.remaining()) {
      int needed = bytes.position() + more.remaining();
      ByteBuffer larger = ByteBuffer.allocateDirect(Integer.highestOneBit(needed) << 1);
      bytes = larger.put(bytes.flip());
    }
    bytes.put(more);
    full |= bytes.position() >= HIGH_WATERMARK_BYTES;
  }

  /** One write; true if all has left. */
  boolean write(SocketChannel channel) throws IOException {
    bytes.flip();
    try {
      channel.write(bytes);
    } finally {
      bytes.compact();
    }
    return isEmpty();
  }

  /** True once after it was full and can take more again. */
  boolean takeRelief() {
    if (full && bytes.position() <= LOW_WATERMARK_BYTES) {
      full = false;
      return true;
    }
    return false;
  }
}
