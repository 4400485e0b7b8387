package io.penstock.shards.poller;

/** Whether a poll may wait, asked on the shard's thread, more than once before it does. */
public interface PollWait {
  /** Never waits. */
  PollWait NONE =
      new PollWait() {
        @Override
        public boolean mayWait() {
          return false;
        }

        @Override
        public long deadlineNanos() {
          return Long.MAX_VALUE;
        }
      };

  /**
   * True if nothing else is to be done. Announces that the shard is about to sleep, so that whoever
   * brings work from now on wakes it.
   */
  boolean mayWait();

  /** When to end the wait at the latest, by {@link System#nanoTime}; MAX_VALUE for never. */
  long deadlineNanos();
}
