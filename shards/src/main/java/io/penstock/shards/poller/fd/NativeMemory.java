package io.penstock.shards.poller.fd;

import io.netty.channel.unix.Buffer;
import io.penstock.shards.memory.MemoryAddress;
import io.penstock.shards.os.Libc;
import java.nio.ByteBuffer;

/** Native memory where Netty's natives are loaded. Any thread; no state. */
public final class NativeMemory implements MemoryAddress {
  public static final NativeMemory INSTANCE = new NativeMemory();

  private NativeMemory() {}

  @Override
  public long of(ByteBuffer direct) {
    return Buffer.memoryAddress(direct);
  }

  @Override
  public boolean tryDiscard(long address, long lengthBytes) {
    return Libc.tryDiscardPages(address, lengthBytes);
  }
}
