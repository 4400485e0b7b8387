package io.penstock.examples.smoke.mode;

import java.util.Map;

/**
 * How a mode ended.
 *
 * @param status as the process is to end, unless something is left open
 * @param figures by name, for a machine to read
 */
public record Outcome(int status, Map<String, Object> figures) {}
