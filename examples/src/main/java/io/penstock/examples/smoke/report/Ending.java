package io.penstock.examples.smoke.report;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * What is left once all is closed; nothing should be.
 *
 * @param liveClients client ends that were not closed
 * @param liveServers server ends that were not closed
 * @param segmentsOut segments that did not come back
 * @param descriptorsBefore open before the run; empty where the system does not tell
 * @param descriptorsAfter open after it
 */
public record Ending(
    long liveClients,
    long liveServers,
    long segmentsOut,
    OptionalInt descriptorsBefore,
    OptionalInt descriptorsAfter) {

  public boolean isClean() {
    return liveClients == 0
        && liveServers == 0
        && segmentsOut == 0
        && descriptorsAfter.orElse(0) <= descriptorsBefore.orElse(0);
  }

  public String line() {
    return Lines.format(
        "end: live=%d (client=%d server=%d) segments-out=%d open-fds=%s (%s at the start) => %s",
        liveClients + liveServers,
        liveClients,
        liveServers,
        segmentsOut,
        Descriptors.text(descriptorsAfter),
        Descriptors.text(descriptorsBefore),
        isClean() ? "clean" : "LEAK");
  }

  /** All of it by name, for a machine to read. */
  public Map<String, Object> asMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("liveClients", liveClients);
    map.put("liveServers", liveServers);
    map.put("segmentsOut", segmentsOut);
    map.put("descriptorsBefore", boxed(descriptorsBefore));
    map.put("descriptorsAfter", boxed(descriptorsAfter));
    return map;
  }

  private static Integer boxed(OptionalInt count) {
    return count.isPresent() ? (Integer) count.getAsInt() : null;
  }
}
