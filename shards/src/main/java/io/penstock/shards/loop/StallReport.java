package io.penstock.shards.loop;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A turn that went over its budget. Immutable.
 *
 * @param phase where the turn was when it was looked at
 * @param what the task or handler that ran then, if the phase names them
 * @param durationNanos how long the turn took, or has taken so far if it goes on
 * @param ongoing whether it has not ended yet
 * @param stack of the shard's thread while it was over the budget; empty if the turn ended before
 *     anyone looked, in which case phase and what are the last ones of the turn
 * @param suppressedCount reports about this shard that were withheld since the last one
 */
public record StallReport(
    int shardIndex,
    Phase phase,
    Optional<String> what,
    long durationNanos,
    long budgetNanos,
    boolean ongoing,
    List<StackTraceElement> stack,
    long suppressedCount) {

  public StallReport {
    stack = List.copyOf(stack);
  }

  /** One line for people, without the stack. */
  public String summary() {
    StringBuilder text = new StringBuilder("shard ").append(shardIndex);
    text.append(ongoing ? ": a turn has been running for " : ": a turn took ");
    text.append(millis(durationNanos)).append(", budget ").append(millis(budgetNanos));
    text.append(", in phase ").append(phase);
    what.ifPresent(running -> text.append(", running ").append(running));
    if (stack.isEmpty()) {
      text.append(", over before it could be looked at");
    }
    if (suppressedCount > 0) {
      text.append("; ").append(suppressedCount).append(" reports before it were withheld");
    }
    return text.toString();
  }

  /** The summary and, line by line, the stack. */
  public String describe() {
    StringBuilder text = new StringBuilder(summary());
    for (StackTraceElement frame : stack) {
      text.append(System.lineSeparator()).append("\tat ").append(frame);
    }
    return text.toString();
  }

  private static String millis(long nanos) {
    return String.format(Locale.ROOT, "%.1f ms", nanos / 1e6);
  }
}
