package io.penstock.shards.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Segments that are larger than all classes, which are made to measure. */
class UnpooledSegmentTest {
  private static final int LARGEST_CLASS_BYTES = 1 << 18;

  private final SharedSegmentPool pool = new SharedSegmentPool(direct -> 0, 64L << 20);

  @ParameterizedTest
  @ValueSource(ints = {1, 63, 64, 65, 300_000 - LARGEST_CLASS_BYTES, 1_000_001})
  void aSegmentLargerThanAllClassesHoldsWhatWasAskedForWhereverItsMemoryLies(int beyondBytes) {
    int lengthBytes = LARGEST_CLASS_BYTES + beyondBytes;
    List<Segment> segments = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      Segment segment = pool.lease(lengthBytes, this);
      assertThat(segment.room()).isEqualTo(lengthBytes);
      segments.add(segment);
    }

    segments.forEach(Segment::release);

    assertThat(pool.leasedCount()).isZero();
  }
}
