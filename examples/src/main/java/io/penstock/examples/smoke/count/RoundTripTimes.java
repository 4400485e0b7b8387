package io.penstock.examples.smoke.count;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/** How long round trips took. The lane records, without a lock; any thread may take. */
public final class RoundTripTimes {
  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int DIGITS = 3;

  private final SingleWriterRecorder recorder = new SingleWriterRecorder(LONGEST_NANOS, DIGITS);

  /** Longer than a minute counts as a minute. */
  public void record(long nanos) {
    recorder.recordValue(Math.min(nanos, LONGEST_NANOS));
  }

  /** What was recorded since this was called last. */
  public Histogram take() {
    return recorder.getIntervalHistogram();
  }

  /** A histogram that others can be added to. */
  public static Histogram empty() {
    return new Histogram(LONGEST_NANOS, DIGITS);
  }
}
