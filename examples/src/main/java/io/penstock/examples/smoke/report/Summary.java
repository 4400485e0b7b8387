package io.penstock.examples.smoke.report;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The lines at the end of a run. */
public final class Summary {

  private Summary() {}

  /**
   * What the scored time comes to.
   *
   * @param lane what a lane is: shard or worker
   */
  public static List<String> lines(Figures figures, double warmupSeconds, String lane) {
    List<String> lines = new ArrayList<>();
    lines.add(
        Lines.format(
            "rate: %,.0f round-trips/s, %,.1f MiB/s, avg %,.0f bytes/recv over %.1fs after %.1fs of"
                + " warm-up; %,.0f/s per connection, %,.0f/s per %s (%s)",
            figures.perSecond(),
            figures.mebibytesPerSecond(),
            figures.averageReceiveBytes(),
            figures.seconds(),
            warmupSeconds,
            figures.perSecond() / Math.max(1, figures.perConnection().size()),
            figures.perSecond() / figures.perLanePerSecond().size(),
            lane,
            perLane(figures)));
    lines.add(times(figures));
    lines.add(little(figures));
    lines.add(
        Lines.format(
            "fairness: round-trips per connection min %,.0f, max %,.0f, min/max %.2f over %d"
                + " connection(s)",
            figures.slowestConnection(),
            figures.fastestConnection(),
            figures.fairness(),
            figures.perConnection().size()));
    lines.add(
        Lines.format(
            "cost: %.2f CPU s, %.2f CPU us per round-trip; per round-trip %.3f system calls, %.4f"
                + " wake-ups, %.4f parks, %.2f B allocated (all threads); %d stalled turn(s)",
            figures.cpuSeconds(),
            figures.perRoundTrip(figures.cpuSeconds() * 1e6),
            figures.perRoundTrip(figures.cost().systemCalls()),
            figures.perRoundTrip(figures.cost().wakeUps()),
            figures.perRoundTrip(figures.cost().parks()),
            figures.perRoundTrip(figures.allocatedBytes()),
            figures.cost().stalls()));
    return lines;
  }

  private static String perLane(Figures figures) {
    return figures.perLanePerSecond().stream()
        .map(rate -> Lines.format("%,.0f", rate))
        .collect(Collectors.joining(" "));
  }

  private static String times(Figures figures) {
    if (!figures.isTimed()) {
      return figures.inFlight() > figures.perConnection().size()
          ? "rtt: not measured, as a connection has more than one message on its way"
          : "rtt: not measured, as nothing came back in the scored time";
    }
    return Lines.format(
        "rtt: p50 %.1f us, p90 %.1f us, p99 %.1f us, p99.9 %.1f us, max %.1f us, mean %.1f us over"
            + " %,d",
        figures.microsAt(50),
        figures.microsAt(90),
        figures.microsAt(99),
        figures.microsAt(99.9),
        figures.times().getMaxValue() / 1e3,
        figures.meanMicros(),
        figures.times().getTotalCount());
  }

  private static String little(Figures figures) {
    if (Double.isInfinite(figures.inFlight())) {
      return "little: no mean follows from a window without bound";
    }
    String expected =
        Lines.format(
            "little: %.0f message(s) in flight at that rate take %.1f us on average",
            figures.inFlight(), figures.expectedMeanMicros());
    return figures.isTimed()
        ? expected
            + Lines.format(
                ", measured %.1f us, %.1f %% apart",
                figures.meanMicros(), figures.deviationPercent())
        : expected;
  }
}
