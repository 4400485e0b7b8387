package io.penstock.shards.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SegmentQueueTest {
  private final SharedSegmentPool pool = new SharedSegmentPool(direct -> 0, 4 << 20);
  private final SegmentQueue queue = new SegmentQueue();

  @AfterEach
  void everythingIsGivenBack() {
    queue.releaseAll();
    assertThat(pool.leasedCount()).isZero();
    assertThat(queue.lengthBytes()).isZero();
  }

  @Test
  void segmentsLeaveInTheOrderInWhichTheyCame() {
    Deque<Integer> expected = new ArrayDeque<>();
    int number = 0;
    for (int round = 0; round < 200; round++) {
      for (int i = 0; i < round % 7; i++) {
        queue.add(segment(number));
        expected.add(number++);
      }
      for (int i = 0; i < round % 5 && !expected.isEmpty(); i++) {
        Segment first = queue.removeFirst();
        assertThat(number(first)).isEqualTo(expected.removeFirst());
        first.release();
      }
      assertThat(queue.size()).isEqualTo(expected.size());
      assertThat(queue.lengthBytes()).isEqualTo(4L * expected.size());
      assertThat(queue.isEmpty()).isEqualTo(expected.isEmpty());
      int at = 0;
      for (int expectedNumber : expected) {
        assertThat(number(queue.get(at++))).isEqualTo(expectedNumber);
      }
    }
  }

  @Test
  void bytesTakenFromTheFrontAreNoLongerCounted() {
    queue.add(segment(1));
    queue.add(segment(2));
    queue.consumeFirst(3);

    assertThat(queue.lengthBytes()).isEqualTo(5);
    assertThat(queue.get(0).length()).isEqualTo(1);
    assertThatThrownBy(() -> queue.consumeFirst(2)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(queue.lengthBytes()).isEqualTo(5);
  }

  @Test
  void placesOutsideOfItDoNotExist() {
    assertThatThrownBy(() -> queue.get(0)).isInstanceOf(AssertionError.class);
    assertThatThrownBy(queue::removeFirst).isInstanceOf(AssertionError.class);
    queue.add(segment(1));
    assertThatThrownBy(() -> queue.get(1)).isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> queue.get(-1)).isInstanceOf(AssertionError.class);
  }

  @Test
  void aQueueThatWasLongGivesItsRoomBackAndGoesOn() {
    for (int i = 0; i < 1_000; i++) {
      queue.add(segment(i));
    }
    queue.trim();
    assertThat(number(queue.get(999))).isEqualTo(999);
    queue.releaseAll();
    queue.trim();
    queue.add(segment(7));

    assertThat(number(queue.get(0))).isEqualTo(7);
  }

  private Segment segment(int number) {
    Segment segment = pool.lease(4, "the queue");
    segment.append(
        new byte[] {
          (byte) (number >> 24), (byte) (number >> 16), (byte) (number >> 8), (byte) number
        },
        0,
        4);
    return segment;
  }

  private static int number(Segment segment) {
    return segment.readable().getInt(segment.from());
  }
}
