package io.penstock.shards.poller.fd;

import io.netty.channel.unix.Buffer;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.memory.SegmentQueue;
import io.penstock.shards.poller.StreamSocket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The array of iovec structures (writev(2)) that a shard fills for one gather call. On 64-bit Linux
 * an iovec is an address and a length of 8 bytes each.
 */
@OnShard
final class Iovecs {
  private static final int IOVEC_BYTES = 16;
  private static final int LENGTH_OFFSET = 8;

  private final ByteBuffer memory =
      ByteBuffer.allocateDirect(StreamSocket.MAX_GATHER_SEGMENTS * IOVEC_BYTES)
          .order(ByteOrder.nativeOrder());
  private final long address = Buffer.memoryAddress(memory);

  /** Fills in the front of the queue; returns how many. */
  int fill(SegmentQueue queue) {
    int count = Math.min(queue.size(), StreamSocket.MAX_GATHER_SEGMENTS);
    for (int i = 0; i < count; i++) {
      Segment segment = queue.get(i);
      memory.putLong(i * IOVEC_BYTES, segment.address() + segment.from());
      memory.putLong(i * IOVEC_BYTES + LENGTH_OFFSET, segment.length());
    }
    return count;
  }

  long address() {
    return address;
  }
}
