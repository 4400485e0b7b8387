package io.penstock.examples.smoke.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.examples.smoke.count.RoundTripTimes;
import io.penstock.examples.smoke.wire.LegCost;
import java.util.List;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class SummaryTest {
  private static final long SECOND = 1_000_000_000;

  // 2 s, 100,000 round trips of 64 bytes, 30,000 by the first shard and 70,000 by the second.
  private final Sample warm = sample(5 * SECOND, 6_400, List.of(6_400L, 0L), 0, 0);
  private final Sample end =
      sample(7 * SECOND, 6_406_400, List.of(1_926_400L, 4_480_000L), 1_500_000_000L, 250_000);

  @Test
  void theSummaryHasRatesTimesFairnessAndCost() {
    Figures figures = figures(times(320, 640), 32, 40_000.0, 60_000.0);

    assertThat(Summary.lines(figures, 5.0, "shard"))
        .containsExactly(
            "rate: 50,000 round-trips/s, 3.1 MiB/s, avg 64 bytes/recv over 2.0s after 5.0s of"
                + " warm-up; 25,000/s per connection, 25,000/s per shard (15,000 35,000)",
            "rtt: p50 320.3 us, p90 640.5 us, p99 640.5 us, p99.9 640.5 us, max 640.5 us, mean"
                + " 480.2 us over 2",
            "little: 32 message(s) in flight at that rate take 640.0 us on average, measured 480.2"
                + " us, 25.0 % apart",
            "fairness: round-trips per connection min 40,000, max 60,000, min/max 0.67 over 2"
                + " connection(s)",
            "cost: 1.50 CPU s, 15.00 CPU us per round-trip; per round-trip 0.250 system calls,"
                + " 0.0500 wake-ups, 0.1000 parks, 2.50 B allocated (all threads); 3 stalled"
                + " turn(s)");
  }

  @Test
  void timesAreNotInventedWhereTheyWereNotMeasured() {
    Figures figures = figures(RoundTripTimes.empty(), Double.POSITIVE_INFINITY, 1.0);

    assertThat(Summary.lines(figures, 0, "worker"))
        .contains(
            "rtt: not measured, as a connection has more than one message on its way",
            "little: no mean follows from a window without bound");
    assertThat(figures.asMap()).containsEntry("roundTripTimeMicros", null);
  }

  @Test
  void aRunInWhichNothingCameBackDividesByNothing() {
    Figures figures =
        new Figures(
            warm,
            sample(7 * SECOND, 6_400, List.of(6_400L, 0L), 1, 1),
            64,
            1,
            List.of(),
            RoundTripTimes.empty());

    assertThat(figures.perRoundTrip(5)).isZero();
    assertThat(figures.fairness()).isZero();
    assertThat(figures.expectedMeanMicros()).isZero();
    assertThat(Summary.lines(figures, 0, "shard")).noneMatch(line -> line.contains("NaN"));
  }

  @Test
  void littlesLawIsTheMeanThatTheRateImplies() {
    assertThat(figures(times(640, 640), 32, 1.0).deviationPercent()).isCloseTo(0, within(0.2));
  }

  private Figures figures(Histogram times, double inFlight, Double... perConnection) {
    return new Figures(warm, end, 64, inFlight, List.of(perConnection), times);
  }

  private static Histogram times(int... micros) {
    RoundTripTimes times = new RoundTripTimes();
    IntStream.of(micros).forEach(one -> times.record(one * 1_000L));
    return times.take();
  }

  private static Sample sample(
      long nanos, long returned, List<Long> byLane, long cpuNanos, long allocated) {
    long count = cpuNanos > 0 ? 1 : 0;
    LegCost cost = new LegCost(25_000 * count, 5_000 * count, 10_000 * count, 3 * count);
    return new Sample(
        nanos, returned, returned, returned / 32, 2 * returned, byLane, cost, cpuNanos, allocated);
  }
}
