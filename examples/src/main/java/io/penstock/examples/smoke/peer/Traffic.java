package io.penstock.examples.smoke.peer;

import java.util.Objects;

/**
 * What a client sends.
 *
 * @param pattern the bytes
 * @param messageBytes of one message
 * @param windowMessages messages that may be on their way at once; Long.MAX_VALUE for any number
 * @param limitBytes after how many it ends; Long.MAX_VALUE for never
 * @param resetAtEnd whether it ends with a reset
 */
public record Traffic(
    Pattern pattern, int messageBytes, long windowMessages, long limitBytes, boolean resetAtEnd) {
  public Traffic {
    Objects.requireNonNull(pattern, "pattern");
  }
}
