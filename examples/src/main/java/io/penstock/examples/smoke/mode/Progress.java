package io.penstock.examples.smoke.mode;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Waits as long as something moves, however long that takes. */
final class Progress {
  /** What is about to end may still do so when the run is told to. */
  private static final long CUT_SHORT_MILLIS = 500;

  private Progress() {}

  /** True once that has ended; false if nothing moved for so long, or the run was told to end. */
  static boolean awaitEnd(
      StopSignal stop, BooleanSupplier ended, LongSupplier moved, long stuckMillis) {
    long last = moved.getAsLong();
    while (!stop.awaitThat(ended, stuckMillis)) {
      long now = moved.getAsLong();
      if (stop.isStopped()) {
        return StopSignal.awaitAnyway(ended, CUT_SHORT_MILLIS);
      }
      if (now == last) {
        return false;
      }
      last = now;
    }
    return true;
  }
}
