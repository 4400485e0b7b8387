package io.penstock.examples.smoke.report;

import io.penstock.examples.smoke.wire.LegCost;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What a run's scored time comes to. Immutable.
 *
 * @param warm when the scored time began
 * @param end when it ended
 * @param sizeBytes of a message
 * @param inFlight messages that all connections together had on their way
 * @param perConnection round trips of each connection in that time
 * @param times of round trips, empty unless each connection had one message on its way
 */
public record Figures(
    Sample warm,
    Sample end,
    int sizeBytes,
    double inFlight,
    List<Double> perConnection,
    Histogram times) {
  private static final double MEBIBYTE = 1 << 20;
  private static final double[] PERCENTILES = {50, 90, 99, 99.9};

  double seconds() {
    return end.secondsSince(warm);
  }

  double roundTrips() {
    return (end.returnedBytes() - warm.returnedBytes()) / (double) sizeBytes;
  }

  double perSecond() {
    return roundTrips() / seconds();
  }

  double mebibytesPerSecond() {
    return (end.returnedBytes() - warm.returnedBytes()) / seconds() / MEBIBYTE;
  }

  double averageReceiveBytes() {
    long receives = end.receives() - warm.receives();
    return receives == 0 ? 0 : (double) (end.receivedBytes() - warm.receivedBytes()) / receives;
  }

  /** Per shard, or per worker of the control. */
  List<Double> perLanePerSecond() {
    List<Double> perLane = new ArrayList<>();
    for (int i = 0; i < end.returnedByLane().size(); i++) {
      long bytes = end.returnedByLane().get(i) - warm.returnedByLane().get(i);
      perLane.add(bytes / (double) sizeBytes / seconds());
    }
    return perLane;
  }

  double slowestConnection() {
    return perConnection.stream().min(Double::compare).orElse(0.0);
  }

  double fastestConnection() {
    return perConnection.stream().max(Double::compare).orElse(0.0);
  }

  /** Slowest by fastest connection: 1 is fair. */
  double fairness() {
    return fastestConnection() == 0 ? 0 : slowestConnection() / fastestConnection();
  }

  boolean isTimed() {
    return times.getTotalCount() > 0;
  }

  double microsAt(double percentile) {
    return times.getValueAtPercentile(percentile) / 1e3;
  }

  double meanMicros() {
    return times.getMean() / 1e3;
  }

  /** By Little's law: what is on its way by what comes back a second. */
  double expectedMeanMicros() {
    return perSecond() == 0 ? 0 : inFlight / perSecond() * 1e6;
  }

  /** How far the mean that was measured is from the one expected. */
  double deviationPercent() {
    double expected = expectedMeanMicros();
    return expected == 0 ? 0 : Math.abs(meanMicros() - expected) / expected * 100;
  }

  double cpuSeconds() {
    return (end.cpuNanos() - warm.cpuNanos()) / 1e9;
  }

  LegCost cost() {
    return end.cost().since(warm.cost());
  }

  long allocatedBytes() {
    return end.allocatedBytes() - warm.allocatedBytes();
  }

  double perRoundTrip(long amount) {
    return perRoundTrip((double) amount);
  }

  double perRoundTrip(double amount) {
    return roundTrips() == 0 ? 0 : amount / roundTrips();
  }

  /** All of it by name, for a machine to read. */
  Map<String, Object> asMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("seconds", seconds());
    map.put("roundTrips", roundTrips());
    map.put("roundTripsPerSecond", perSecond());
    map.put("mebibytesPerSecond", mebibytesPerSecond());
    map.put("averageReceiveBytes", averageReceiveBytes());
    map.put("roundTripsPerSecondByLane", perLanePerSecond());
    map.put("perConnection", perConnectionMap());
    map.put("roundTripTimeMicros", isTimed() ? timesMap() : null);
    map.put("littleMeanMicros", expectedMeanMicros());
    map.put("cpuSeconds", cpuSeconds());
    map.put("stalls", cost().stalls());
    map.put("perRoundTrip", perRoundTripMap());
    return map;
  }

  private Map<String, Object> perConnectionMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("count", perConnection.size());
    map.put("minRoundTrips", slowestConnection());
    map.put("maxRoundTrips", fastestConnection());
    map.put("minByMax", fairness());
    return map;
  }

  private Map<String, Object> timesMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    for (double percentile : PERCENTILES) {
      map.put(Lines.format("p%s", percentileName(percentile)), microsAt(percentile));
    }
    map.put("max", times.getMaxValue() / 1e3);
    map.put("mean", meanMicros());
    map.put("samples", times.getTotalCount());
    map.put("deviationFromLittlePercent", deviationPercent());
    return map;
  }

  private Map<String, Object> perRoundTripMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("cpuMicros", perRoundTrip(cpuSeconds() * 1e6));
    map.put("systemCalls", perRoundTrip(cost().systemCalls()));
    map.put("wakeUps", perRoundTrip(cost().wakeUps()));
    map.put("parks", perRoundTrip(cost().parks()));
    map.put("allocatedBytes", perRoundTrip(allocatedBytes()));
    return map;
  }

  static String percentileName(double percentile) {
    return percentile == Math.rint(percentile)
        ? Long.toString(Math.round(percentile))
        : Double.toString(percentile);
  }
}
