package io.penstock.examples.smoke.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.examples.smoke.options.SmokeOptions;
import io.penstock.examples.smoke.wire.Effective;
import java.util.LinkedHashMap;
import java.util.Map;

/** A run as one JSON object on one line. */
public final class JsonReport {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private JsonReport() {}

  /** What ran and what it came to. */
  public static String line(
      SmokeOptions options,
      Effective effective,
      Map<String, Object> outcome,
      Ending ending,
      int status) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("status", status);
    all.put("backend", effective.backend());
    all.put("transport", options.transport());
    all.put("mode", options.mode());
    all.put("size", options.sizeBytes());
    all.put("window", options.isPipeline() ? null : options.window());
    all.put("clients", options.clients());
    all.put("server", options.server());
    all.put("shards", effective.shards());
    all.put("workers", effective.workers());
    all.put("pin", effective.pin());
    all.put("cpus", effective.cpus());
    all.put("spinMicros", effective.spinMicros());
    all.put("poke", options.poke());
    all.put("notes", effective.notes());
    all.putAll(outcome);
    all.put("end", ending.asMap());
    try {
      return MAPPER.writeValueAsString(all);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("figures that are no JSON: " + all, e);
    }
  }
}
