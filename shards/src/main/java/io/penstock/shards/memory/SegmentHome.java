package io.penstock.shards.memory;

/** Where released segments go. Any thread. */
interface SegmentHome {
  void giveBack(Segment segment);
}
