package io.penstock.shards.loop;

/**
 * How a shard spends its time.
 *
 * @param spinNanos how long to look for work before the shard parks; 0 to park at once
 * @param taskBudgetNanos how long tasks may run in one turn before I/O gets its turn
 * @param inboxLimit tasks taken from the inbox in one turn
 */
public record LoopOptions(long spinNanos, long taskBudgetNanos, int inboxLimit) {
  public LoopOptions {
    if (spinNanos < 0) {
      throw new IllegalArgumentException("spinNanos must not be negative: " + spinNanos);
    }
    if (taskBudgetNanos <= 0) {
      throw new IllegalArgumentException("taskBudgetNanos must be positive: " + taskBudgetNanos);
    }
    if (inboxLimit <= 0) {
      throw new IllegalArgumentException("inboxLimit must be positive: " + inboxLimit);
    }
  }

  /** Parks at once, 500 us of tasks and 4,096 inbox tasks a turn. */
  public static LoopOptions defaults() {
    return new LoopOptions(0, 500_000, 4096);
  }
}
