package io.penstock.shards.memory;

import java.nio.ByteBuffer;

/** Finds the native address of a direct buffer's byte 0; 0 where no native library is loaded. */
@FunctionalInterface
public interface MemoryAddress {
  long of(ByteBuffer direct);
}
