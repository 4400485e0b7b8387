package io.penstock.shards.poller.nio;

import io.penstock.shards.core.OnShard;
import io.penstock.shards.memory.SegmentQueue;
import io.penstock.shards.poller.StreamSocket;
import java.nio.ByteBuffer;

/** What the sockets of one poller share: the array for gathers, the count of system calls. */
@OnShard
final class NioContext {
  final ByteBuffer[] gather = new ByteBuffer[StreamSocket.MAX_GATHER_SEGMENTS];
  private long systemCalls;

  /** Fills the array with the front of the queue; returns how many. */
  int fill(SegmentQueue queue) {
    int count = Math.min(queue.size(), gather.length);
    for (int i = 0; i < count; i++) {
      gather[i] = queue.get(i).readable();
    }
    return count;
  }

  void called() {
    systemCalls++;
  }

  long systemCalls() {
    return systemCalls;
  }
}
