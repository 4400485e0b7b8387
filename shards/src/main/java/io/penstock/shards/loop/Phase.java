package io.penstock.shards.loop;

/**
 * The steps of a turn, in the order in which a turn takes them. Each one feeds the next, so that a
 * byte can come in, be answered and leave within one turn.
 */
public enum Phase {
  /**
   * Takes in what other threads sent: tasks, and segments on their way home. Feeds {@link #TASKS},
   * and {@link #POLL} with memory to read into.
   */
  INBOX,
  /**
   * Takes from the kernel what is complete or ready, and runs the handlers of those connections.
   * Feeds {@link #TASKS} with the work of actors and {@link #FLUSH} with answers.
   */
  POLL,
  /**
   * Runs ready tasks, actor mailboxes among them, up to a time budget. Feeds {@link #FLUSH} with
   * what they wrote.
   */
  TASKS,
  /** Runs the timers that are due. Feeds {@link #FLUSH}, and {@link #TASKS} of the next turn. */
  TIMERS,
  /**
   * Writes what all of the above produced, one write per connection. Its outcomes come back in a
   * later {@link #POLL}.
   */
  FLUSH,
  /** Between two turns: looks again for a while, then sleeps. May last for ever and is no stall. */
  IDLE
}
