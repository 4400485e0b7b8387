package io.penstock.examples.smoke.mode;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Waits as long as something moves, however long that takes. */
final class Progress {

  private Progress() {}

  /** True once that has ended; false if nothing moved for so long, or the run is to end. */
  static boolean awaitEnd(
      StopSignal stop, BooleanSupplier ended, LongSupplier moved, long stuckMillis) {
    long last = moved.getAsLong();
    while (!stop.awaitThat(ended, stuckMillis)) {
      long now = moved.getAsLong();
      if (stop.isStopped() || now == last) {
        return false;
      }
      last = now;
    }
    return true;
  }
}
