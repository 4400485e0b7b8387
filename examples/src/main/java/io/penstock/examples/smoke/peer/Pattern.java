package io.penstock.examples.smoke.peer;

import java.nio.ByteBuffer;

/** An endless repetition of the same bytes: what is sent, and what is to come back. */
public final class Pattern {
  /** The most that is taken of it at once. */
  public static final int PIECE_BYTES = 1 << 16;

  /**
   * A prime: no size of a buffer or message is a multiple of it, so that a piece at the wrong place
   * never looks right.
   */
  private static final int CHECKED_PERIOD_BYTES = 65_521;

  private final ByteBuffer bytes;
  private final int periodBytes;

  private Pattern(int periodBytes) {
    this.periodBytes = periodBytes;
    this.bytes = ByteBuffer.allocateDirect(periodBytes + PIECE_BYTES);
  }

  /** One byte, over and over: for who only counts. */
  public static Pattern constant() {
    Pattern pattern = new Pattern(1);
    while (pattern.bytes.hasRemaining()) {
      pattern.bytes.put((byte) 'x');
    }
    return pattern;
  }

  /** With a period of prime length: for who checks. */
  public static Pattern checked() {
    Pattern pattern = new Pattern(CHECKED_PERIOD_BYTES);
    while (pattern.bytes.hasRemaining()) {
      int at = pattern.bytes.position() % CHECKED_PERIOD_BYTES;
      pattern.bytes.put((byte) (at * 131 + (at >>> 8) * 7));
    }
    return pattern;
  }

  /** For one thread at a time, which gets a view of its own. */
  public View view() {
    return new View(bytes.duplicate(), periodBytes);
  }

  /** The pattern as one thread reads it. */
  public static final class View {
    private final ByteBuffer bytes;
    private final int periodBytes;

    private View(ByteBuffer bytes, int periodBytes) {
      this.bytes = bytes;
      this.periodBytes = periodBytes;
    }

    /** The bytes from there on, at most {@link #PIECE_BYTES}; valid until the next call. */
    public ByteBuffer at(long offset, int lengthBytes) {
      int from = periodBytes == 1 ? 0 : (int) (offset % periodBytes);
      return bytes.clear().position(from).limit(from + lengthBytes);
    }

    /** How many of the received bytes differ from those of the pattern from there on. */
    public int mismatches(ByteBuffer received, long offset) {
      int mismatches = 0;
      int end = received.limit();
      long expectedAt = offset;
      for (int at = received.position(); at < end; at += PIECE_BYTES) {
        int lengthBytes = Math.min(PIECE_BYTES, end - at);
        ByteBuffer piece = received.duplicate().position(at).limit(at + lengthBytes);
        mismatches += mismatchesInPiece(piece, at(expectedAt, lengthBytes));
        expectedAt += lengthBytes;
      }
      return mismatches;
    }

    private static int mismatchesInPiece(ByteBuffer received, ByteBuffer expected) {
      if (received.mismatch(expected) < 0) {
        return 0;
      }
      int mismatches = 0;
      while (received.hasRemaining()) {
        if (received.get() != expected.get()) {
          mismatches++;
        }
      }
      return mismatches;
    }
  }
}
