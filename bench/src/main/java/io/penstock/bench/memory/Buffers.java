package io.penstock.bench.memory;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.unix.Buffer;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.memory.SegmentPool;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.infra.Blackhole;

/**
 * One way to get a buffer, use it and give it back. Used by one thread; what threads share stands
 * in the implementations.
 */
interface Buffers {
  int PAGE_BYTES = 4096;

  /** Gets one of that size, writes a byte into each of its pages, gives it back. */
  void use(int sizeBytes, Blackhole used);

  private static void touch(ByteBuffer buffer, int sizeBytes) {
    for (int i = 0; i < sizeBytes; i += PAGE_BYTES) {
      buffer.put(i, (byte) i);
    }
  }

  /** The pool of a shard, one for each thread. */
  final class Slab implements Buffers {
    private static final long BUDGET_BYTES = 16L << 20;

    private final SegmentPool pool =
        new SegmentPool(Buffer::memoryAddress, BUDGET_BYTES, System::nanoTime, () -> {});

    Slab() {
      pool.confineToCurrentThread();
    }

    @Override
    public void use(int sizeBytes, Blackhole used) {
      Segment segment = pool.lease(sizeBytes, this);
      ByteBuffer memory = segment.writable();
      touch(memory, sizeBytes);
      used.consume(memory);
      segment.release();
    }
  }

  /** An allocator of Netty. */
  final class Netty implements Buffers {
    private static final ByteBufAllocator POOLED = new PooledByteBufAllocator(true);
    private static final ByteBufAllocator ADAPTIVE = new AdaptiveByteBufAllocator(true);

    private final ByteBufAllocator allocator;

    private Netty(ByteBufAllocator allocator) {
      this.allocator = allocator;
    }

    static Netty pooled() {
      return new Netty(POOLED);
    }

    static Netty adaptive() {
      return new Netty(ADAPTIVE);
    }

    @Override
    public void use(int sizeBytes, Blackhole used) {
      ByteBuf buffer = allocator.directBuffer(sizeBytes);
      for (int i = 0; i < sizeBytes; i += PAGE_BYTES) {
        buffer.setByte(i, i);
      }
      used.consume(buffer);
      buffer.release();
    }
  }

  /** A lock-free queue that all threads share. */
  final class SharedQueue implements Buffers {
    private static final ConcurrentLinkedQueue<ByteBuffer> FREE = new ConcurrentLinkedQueue<>();

    @Override
    public void use(int sizeBytes, Blackhole used) {
      ByteBuffer buffer = FREE.poll();
      if (buffer == null) {
        buffer = ByteBuffer.allocateDirect(sizeBytes);
      }
      touch(buffer, sizeBytes);
      used.consume(buffer);
      FREE.add(buffer);
    }
  }

  /** A stack that all threads share, behind a lock. */
  final class SharedStack implements Buffers {
    // Guards the stack.
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final ArrayDeque<ByteBuffer> FREE = new ArrayDeque<>();

    @Override
    public void use(int sizeBytes, Blackhole used) {
      ByteBuffer buffer = take();
      if (buffer == null) {
        buffer = ByteBuffer.allocateDirect(sizeBytes);
      }
      touch(buffer, sizeBytes);
      used.consume(buffer);
      put(buffer);
    }

    private static ByteBuffer take() {
      LOCK.lock();
      try {
        return FREE.pollFirst();
      } finally {
        LOCK.unlock();
      }
    }

    private static void put(ByteBuffer buffer) {
      LOCK.lock();
      try {
        FREE.addFirst(buffer);
      } finally {
        LOCK.unlock();
      }
    }
  }

  /** Native memory for each use, by malloc(3) and free(3). */
  final class Malloc implements Buffers {
    static {
      Native.register(Malloc.class, NativeLibrary.getProcess());
    }

    private static native long malloc(long sizeBytes);

    private static native void free(long address);

    private static native long memset(long address, int value, long sizeBytes);

    @Override
    public void use(int sizeBytes, Blackhole used) {
      long address = malloc(sizeBytes);
      for (int i = 0; i < sizeBytes; i += PAGE_BYTES) {
        memset(address + i, i, 1);
      }
      used.consume(address);
      free(address);
    }
  }

  /** An array of the heap for each use. */
  final class Heap implements Buffers {
    @Override
    public void use(int sizeBytes, Blackhole used) {
      byte[] array = new byte[sizeBytes];
      for (int i = 0; i < sizeBytes; i += PAGE_BYTES) {
        array[i] = (byte) i;
      }
      used.consume(array);
    }
  }

  /** A direct buffer of the JDK for each use. */
  final class AllocateDirect implements Buffers {
    @Override
    public void use(int sizeBytes, Blackhole used) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(sizeBytes);
      touch(buffer, sizeBytes);
      used.consume(buffer);
    }
  }
}
