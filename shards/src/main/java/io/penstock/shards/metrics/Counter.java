package io.penstock.shards.metrics;

/** What a shard counts. Gauges rise and fall; everything else only grows. */
public enum Counter {
  /** Passes of the loop. */
  TURNS,
  /** Times the shard went to sleep because there was nothing to do. */
  PARKS,
  /** Times another thread had to wake the shard: it was asleep when work came. */
  WAKE_UPS,
  /** Times the shard looked again instead of going to sleep. */
  SPINS,
  /** Calls into the kernel, as far as the backend can tell. */
  SYSTEM_CALLS,
  /** Reads that brought bytes. */
  RECEIVES,
  /** Writes handed to the kernel, gathers and plain ones. */
  SENDS,
  RECEIVED_BYTES,
  SENT_BYTES,
  /** Writes of several segments at once. */
  GATHERS,
  /** Writes of one segment. */
  PLAIN_SENDS,
  /** Segments that were so small that they were copied behind others instead of being gathered. */
  SEGMENTS_COPIED,
  /** Connections that came through a listener. */
  ACCEPTED,
  /** Connections that were opened from here. */
  CONNECTED,
  /** Connections turned away at a limit. */
  REFUSED,
  /** Times accepting failed and rested, as when the process has no descriptor left. */
  ACCEPT_FAILURES,
  /** Connections open now. */
  OPEN(true),
  CLOSED,
  TIMERS_FIRED,
  /** Tasks run on the shard's thread, timers not counted. */
  TASKS_RUN,
  /** Those among them that came from other threads. */
  INBOX_TASKS,
  /** Turns that took longer than their budget. */
  STALLS,
  /** Connections that ended because their handler threw. */
  HANDLER_FAILURES,
  /** Times something had to wait because no segment was left. */
  POOL_WAITS,
  /** Segments leased and not yet back, now. */
  SEGMENTS_OUT(true),
  /** Completions taken from an io_uring. */
  RING_COMPLETIONS;

  private final boolean gauge;

  Counter() {
    this(false);
  }

  Counter(boolean gauge) {
    this.gauge = gauge;
  }

  public boolean isGauge() {
    return gauge;
  }
}
