package io.penstock.examples.smoke.report;

import java.util.LinkedHashMap;
import java.util.Map;

/** What a throughput run leaves, by name, for a machine to read. */
public final class Totals {

  private Totals() {}

  /** The whole run, and its scored time where there was one. */
  public static Map<String, Object> asMap(
      Sample start, Sample end, Figures scored, long connections, long cutOff) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("connections", connections);
    map.put("cutOff", cutOff);
    map.put("seconds", end.secondsSince(start));
    map.put("roundTripBytes", end.returnedBytes());
    map.put("echoedBytes", end.echoedBytes());
    map.put("receives", end.receives());
    map.put("receivedBytes", end.receivedBytes());
    if (scored != null) {
      map.put("scored", scored.asMap());
    }
    return map;
  }
}
