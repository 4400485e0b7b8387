package io.penstock.shards.testing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AllocatedBytesTest {

  // Volatile, so that the compiler cannot do without the array.
  private volatile byte[] last;

  @Test
  void whatAnActionAllocatesIsSeen() {
    long bytes = AllocatedBytes.whileRepeating(1_000, () -> last = new byte[64]);

    assertThat(bytes).isBetween(64_000L, 200_000L);
    assertThat(last).hasSize(64);
  }
}
