package io.penstock.shards.memory;

import java.nio.ByteBuffer;

/** What a pool needs to know and do about native memory. Any thread. */
@FunctionalInterface
public interface MemoryAddress {

  /** The native address of a direct buffer's byte 0; 0 where no native library is loaded. */
  long of(ByteBuffer direct);

  /**
   * Gives the whole pages between these addresses to the system, their content lost and their
   * addresses kept.
   *
   * @return false where that cannot be done
   */
  default boolean tryDiscard(long address, long lengthBytes) {
    return false;
  }
}
