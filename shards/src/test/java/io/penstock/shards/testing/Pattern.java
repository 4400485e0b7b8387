package io.penstock.shards.testing;

import java.util.Arrays;

/**
 * Bytes by which loss, repeats, swaps and mix-ups all show: byte i is (31 * i + seed) mod 251. One
 * seed per connection. Immutable.
 */
public final class Pattern {
  private static final int PERIOD = 251;
  private static final int TABLE_PERIODS = 300;

  private final int seed;
  // Some periods and one more, so that each run of up to TABLE_PERIODS periods is in it.
  private final byte[] table = new byte[(TABLE_PERIODS + 1) * PERIOD];

  public Pattern(int seed) {
    this.seed = Math.floorMod(seed, PERIOD);
    for (int i = 0; i < table.length; i++) {
      table[i] = (byte) ((31 * (i % PERIOD) + this.seed) % PERIOD);
    }
  }

  /** Fills part of an array with the pattern's bytes from that position on. */
  public void fill(long position, byte[] target, int offset, int lengthBytes) {
    int done = 0;
    while (done < lengthBytes) {
      int from = (int) ((position + done) % PERIOD);
      int run = Math.min(lengthBytes - done, TABLE_PERIODS * PERIOD);
      System.arraycopy(table, from, target, offset + done, run);
      done += run;
    }
  }

  /** The pattern's bytes from that position on. */
  public byte[] bytes(long position, int lengthBytes) {
    byte[] bytes = new byte[lengthBytes];
    fill(position, bytes, 0, lengthBytes);
    return bytes;
  }

  /** Follows what should be the pattern from its start. */
  public Check check() {
    return new Check(this);
  }

  /** How far what came is the pattern. For one thread at a time. */
  public static final class Check {
    private final Pattern pattern;
    private long position;
    private String mismatch;

    private Check(Pattern pattern) {
      this.pattern = pattern;
    }

    /** Takes the next bytes. */
    public void accept(byte[] bytes, int offset, int lengthBytes) {
      int done = 0;
      while (done < lengthBytes && mismatch == null) {
        int from = (int) ((position + done) % PERIOD);
        int run = Math.min(lengthBytes - done, TABLE_PERIODS * PERIOD);
        int at =
            Arrays.mismatch(
                pattern.table, from, from + run, bytes, offset + done, offset + done + run);
        if (at >= 0) {
          mismatch =
              "byte %d is %d instead of %d of the pattern with seed %d"
                  .formatted(
                      position + done + at,
                      bytes[offset + done + at],
                      pattern.table[from + at],
                      pattern.seed);
        }
        done += run;
      }
      position += lengthBytes;
    }

    /** Bytes taken so far. */
    public long count() {
      return position;
    }

    /** The first byte that was wrong, or null. */
    public String mismatch() {
      return mismatch;
    }

    /** Fails unless exactly that many bytes of the pattern came. */
    public void requireExactly(long expectedBytes) {
      if (mismatch != null) {
        throw new AssertionError(mismatch + ", of " + position + " bytes");
      }
      if (position != expectedBytes) {
        throw new AssertionError(position + " bytes came instead of " + expectedBytes);
      }
    }
  }
}
