package io.penstock.shards.poller.uring;

import io.netty.channel.unix.Buffer;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.memory.LentMemory;
import io.penstock.shards.memory.Segment;
import java.io.IOException;

/**
 * The buffers that receives on the ring fill: one group per shard, given to the kernel by plain
 * operations (IORING_OP_PROVIDE_BUFFERS).
 *
 * <p>What was received is copied out before the poll ends, and its buffer goes back with the next
 * submission. So the group cannot run dry for longer than one poll, whoever keeps what it received;
 * but while the shard's pool is empty, buffers are withheld until there is memory to copy to.
 */
@OnShard
final class ReceiveBuffers implements RingHandle.Completions {
  /** Small messages only: a connection that fills one goes over to plain calls. */
  static final int BUFFER_BYTES = 2048;

  static final short GROUP = 1;

  private static final int BUFFERS = 512;
  private static final short PROVIDE = 1;

  private final LentMemory memory = new LentMemory(Buffer::memoryAddress, BUFFERS, BUFFER_BYTES);
  private final RingHandle handle;
  private final short[] returned = new short[BUFFERS];
  private int returnedCount;
  private int withheld;

  ReceiveBuffers(UringPoller poller) throws IOException {
    handle = new RingHandle(poller, this);
    for (short i = 0; i < BUFFERS; i++) {
      giveBack(i);
    }
  }

  /** What the kernel put into a buffer; valid until it is given back. */
  Segment received(int buffer, int lengthBytes) {
    return memory.piece(buffer, lengthBytes);
  }

  /** What was received into the buffer waits there for memory, and the group is one smaller. */
  void withhold() {
    withheld++;
  }

  void giveBackWithheld(int buffer) {
    withheld--;
    giveBack(buffer);
  }

  /** True while the group may be empty for longer than one poll. */
  boolean isShort() {
    return withheld > 0;
  }

  void giveBack(int buffer) {
    returned[returnedCount++] = (short) buffer;
  }

  /** Queues what was given back, neighbours as one operation. They mostly come back in a row. */
  void submitReturned() {
    int at = 0;
    while (at < returnedCount) {
      int first = returned[at];
      int count = 1;
      while (at + count < returnedCount && returned[at + count] == first + count) {
        count++;
      }
      long address = memory.address() + (long) first * BUFFER_BYTES;
      handle.submit(RingOps.provide(address, BUFFER_BYTES, first, count, GROUP, PROVIDE));
      at += count;
    }
    returnedCount = 0;
  }

  @Override
  public void onCompletion(int tag, int result, int flags) {
    if (result < 0) {
      throw new IllegalStateException("the kernel took no receive buffers: errno " + -result);
    }
  }

  @Override
  public void onUnhandled(Throwable cause) {
    // Logged by the handle; receives on the ring end with ENOBUFS and go over to plain calls.
  }

  void close() {
    handle.whenQuiet(() -> {});
  }
}
