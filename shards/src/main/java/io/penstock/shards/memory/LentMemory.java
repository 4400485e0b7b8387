package io.penstock.shards.memory;

import io.penstock.shards.core.OnShard;
import java.nio.ByteBuffer;

/**
 * Memory that the kernel fills by its own choice, in pieces of one size. Each piece is shown as a
 * segment that is lent, never passed: who looks at it copies what it wants and may not release it.
 */
@OnShard
public final class LentMemory {
  private static final int ALIGNMENT_BYTES = 64;

  private final Segment[] pieces;
  private final int pieceBytes;

  public LentMemory(MemoryAddress addresses, int pieceCount, int pieceBytes) {
    this.pieceBytes = pieceBytes;
    this.pieces = new Segment[pieceCount];
    ByteBuffer memory =
        ByteBuffer.allocateDirect(pieceCount * pieceBytes + ALIGNMENT_BYTES)
            .alignedSlice(ALIGNMENT_BYTES);
    for (int i = 0; i < pieceCount; i++) {
      ByteBuffer piece = memory.slice(i * pieceBytes, pieceBytes);
      pieces[i] = new Segment(LentMemory::refuse, null, piece, addresses.of(piece), Slab.UNPOOLED);
      pieces[i].markLeased(this, 0);
    }
  }

  private static void refuse(Segment segment) {
    throw new IllegalStateException("lent, not passed: " + segment);
  }

  /** A piece with that many bytes readable. */
  public Segment piece(int index, int lengthBytes) {
    return pieces[index].range(0, lengthBytes);
  }

  /** Native address of the first byte; the pieces follow each other. */
  public long address() {
    return pieces[0].address();
  }

  public int pieceCount() {
    return pieces.length;
  }

  public int pieceBytes() {
    return pieceBytes;
  }

  @Override
  public String toString() {
    return "the kernel's receive memory";
  }
}
