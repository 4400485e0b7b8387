package io.penstock.shards.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PatternTest {
  private static final int MANY = 200_000;

  @Test
  void eachByteFollowsTheFormulaWhereverOneBegins() {
    Pattern pattern = new Pattern(300);
    for (long position : new long[] {0, 1, 250, 251, 75_299, 1L << 40}) {
      byte[] bytes = pattern.bytes(position, 1000);
      for (int i = 0; i < bytes.length; i++) {
        assertThat(bytes[i]).isEqualTo((byte) ((31 * ((position + i) % 251) + 300) % 251));
      }
    }
  }

  @Test
  void whatCameInPiecesIsThePattern() {
    Pattern pattern = new Pattern(5);
    Pattern.Check check = pattern.check();
    byte[] bytes = pattern.bytes(0, MANY);
    check.accept(bytes, 0, 1);
    check.accept(bytes, 1, 600);
    check.accept(bytes, 601, MANY - 601);
    check.requireExactly(MANY);
    assertThatThrownBy(() -> check.requireExactly(MANY + 1)).isInstanceOf(AssertionError.class);
  }

  @Test
  void aChangedALostAndAForeignByteShow() {
    byte[] changed = new Pattern(5).bytes(0, MANY);
    changed[150_000]++;
    assertMismatch(new Pattern(5), changed, 150_000);
    assertMismatch(new Pattern(5), new Pattern(5).bytes(1, MANY), 0);
    assertMismatch(new Pattern(5), new Pattern(6).bytes(0, MANY), 0);
  }

  private static void assertMismatch(Pattern expected, byte[] bytes, int at) {
    Pattern.Check check = expected.check();
    check.accept(bytes, 0, bytes.length);
    assertThat(check.mismatch()).startsWith("byte " + at + " is ");
    assertThatThrownBy(() -> check.requireExactly(bytes.length)).isInstanceOf(AssertionError.class);
  }
}
