package io.penstock.shards.loop;

import java.util.List;
import java.util.Optional;

/**
 * What the detector knows about one shard, from one look to the next.
 *
 * <p>Thread: the detector's alone.
 */
final class StallWatch {

  /** A shard over its budget, caught in the act. */
  private record Sighting(long turn, Phase phase, String what, List<StackTraceElement> stack) {}

  private final TurnMonitor monitor;
  private final long reportIntervalNanos;
  private final StallListener listener;

  private long endedCount;
  private Sighting sighting;
  private long nextOngoingNanos;
  private boolean hasReported;
  private long lastReportNanos;
  private long suppressedCount;

  StallWatch(TurnMonitor monitor, long reportIntervalNanos, StallListener listener) {
    this.monitor = monitor;
    this.reportIntervalNanos = reportIntervalNanos;
    this.listener = listener;
  }

  /** Looks once; returns how long until it should look again, at the latest. */
  long look(long nowNanos) {
    // Ended ones first, or the next turn's sighting would take the place of theirs.
    EndedStall ended = monitor.lastStall();
    if (ended != null && ended.number() != endedCount) {
      onEnded(ended, nowNanos);
    }
    long intervalNanos = Math.max(1, monitor.budgetNanos() / 2);
    long turn = monitor.turn();
    if (!TurnMonitor.isInTurn(turn)) {
      return intervalNanos;
    }
    long ageNanos = nowNanos - monitor.startedNanos();
    if (monitor.turn() != turn) {
      return intervalNanos;
    }
    long leftNanos = monitor.budgetNanos() - ageNanos;
    if (leftNanos < 0) {
      onOverBudget(turn, ageNanos, nowNanos);
      return intervalNanos;
    }
    // Exactly when it goes over, lest it be over again before the next regular look.
    return Math.min(intervalNanos, leftNanos + 1);
  }

  private void onEnded(EndedStall ended, long nowNanos) {
    // More than one since the last look, if the detector itself was held up.
    suppressedCount += ended.number() - endedCount - 1;
    endedCount = ended.number();
    if (sighting == null || sighting.turn != ended.turn()) {
      sighting = new Sighting(ended.turn(), ended.phase(), ended.what(), List.of());
    }
    report(ended.durationNanos(), false, nowNanos);
    sighting = null;
  }

  private void onOverBudget(long turn, long ageNanos, long nowNanos) {
    boolean first = sighting == null || sighting.turn != turn;
    if (!first && ageNanos < nextOngoingNanos) {
      return;
    }
    Sighting seen = see(turn);
    if (seen == null) {
      return;
    }
    sighting = seen;
    if (first) {
      nextOngoingNanos = Math.max(reportIntervalNanos, doubled(monitor.budgetNanos()));
    }
    if (ageNanos >= nextOngoingNanos) {
      nextOngoingNanos = doubled(ageNanos);
      report(ageNanos, true, nowNanos);
    }
  }

  /** Null if the turn ended meanwhile: then the stack may be from anywhere. */
  private Sighting see(long turn) {
    Thread thread = monitor.thread();
    if (thread == null) {
      return null;
    }
    Phase phase = monitor.phase();
    String what = monitor.running();
    List<StackTraceElement> stack = List.of(thread.getStackTrace());
    return monitor.turn() == turn ? new Sighting(turn, phase, what, stack) : null;
  }

  private void report(long durationNanos, boolean ongoing, long nowNanos) {
    if (hasReported && nowNanos - lastReportNanos < reportIntervalNanos) {
      suppressedCount++;
      return;
    }
    StallReport report =
        new StallReport(
            monitor.shardIndex(),
            sighting.phase,
            Optional.ofNullable(sighting.what),
            durationNanos,
            monitor.budgetNanos(),
            ongoing,
            sighting.stack,
            suppressedCount);
    hasReported = true;
    lastReportNanos = nowNanos;
    suppressedCount = 0;
    listener.stalled(report);
  }

  private static long doubled(long nanos) {
    return nanos > Long.MAX_VALUE / 2 ? Long.MAX_VALUE : nanos * 2;
  }
}
