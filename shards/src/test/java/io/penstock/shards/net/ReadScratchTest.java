package io.penstock.shards.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.memory.Segment;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.testing.FakeStreamSocket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** In what memory received bytes are handed out. */
class ReadScratchTest extends ConnectionStepTest {
  private static final int MESSAGE_BYTES = 20_000;
  private final List<Segment> received = new ArrayList<>();

  @Test
  void whoReleasesWhatItReceivesGetsItWithoutACopyHoweverMuchItIs() {
    List<Integer> capacities = new ArrayList<>();
    handler.received(
        (connection, segment) -> {
          capacities.add(segment.capacity());
          segment.release();
        });
    FakeStreamSocket socket = accept();
    for (int i = 0; i < 200; i++) {
      socket.arrive(new byte[MESSAGE_BYTES]);
      shard.turnUntilIdle();
    }
    assertThat(capacities).hasSize(200).containsOnly(ReadScratch.CAPACITY_BYTES);
  }

  @Test
  void whoKeepsWhatItReceivesUsesUpAPoolNoFasterThanItMust() {
    handler.received((connection, segment) -> received.add(segment));
    FakeStreamSocket socket = accept();
    int messages = 0;
    while (shard.count(Counter.POOL_WAITS) == 0) {
      socket.arrive(new byte[MESSAGE_BYTES]);
      shard.turnUntilIdle();
      messages++;
    }
    // A quarter of 16 MiB whole, the rest in segments of 64 KiB; whole ones alone would be 64.
    assertThat(messages).isGreaterThan(180);

    connection().abort();
    received.forEach(Segment::release);
    shard.turnUntilIdle();
  }
}
