package io.penstock.examples.smoke.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class PatternTest {
  private final Pattern.View view = Pattern.checked().view();

  @Test
  void whatIsSentIsWhatIsExpectedWhereverItIsCut() {
    ByteBuffer sent = take(0, 300_000);

    assertThat(view.mismatches(sent, 0)).isZero();
    assertThat(view.mismatches(sent.duplicate().position(65_520).slice(), 65_520)).isZero();
  }

  @Test
  void eachByteThatDiffersCounts() {
    ByteBuffer received = take(1_000_000, 200_000);
    received.put(0, (byte) ~received.get(0));
    received.put(150_000, (byte) ~received.get(150_000));

    assertThat(view.mismatches(received, 1_000_000)).isEqualTo(2);
  }

  @Test
  void bytesOfAnotherPlaceDoNotLookRight() {
    for (int shift : new int[] {1, 64, 256, 4096, 65_536, 1 << 20}) {
      ByteBuffer received = take(shift, 10_000);

      assertThat(view.mismatches(received, 0)).as("shifted by %d", shift).isGreaterThan(5_000);
    }
  }

  @Test
  void aConstantPatternIsTheSameEverywhere() {
    Pattern.View constant = Pattern.constant().view();

    assertThat(constant.at(12_345, 64)).isEqualTo(constant.at(0, 64).duplicate());
  }

  private ByteBuffer take(long offset, int lengthBytes) {
    ByteBuffer taken = ByteBuffer.allocate(lengthBytes);
    while (taken.hasRemaining()) {
      int piece = Math.min(7_000, taken.remaining());
      taken.put(view.at(offset + taken.position(), piece));
    }
    return taken.flip();
  }
}
