package io.penstock.shards.core;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * The options to set on a socket, in no order. Immutable. An option that is not named stays as the
 * kernel has it, but for the defaults that {@link SocketOption} names. An option that the backend
 * cannot set is refused by name when the socket is made.
 */
public final class SocketOptions {
  private static final SocketOptions NONE = new SocketOptions(new EnumMap<>(SocketOption.class));

  private final EnumMap<SocketOption, Integer> values;

  private SocketOptions(EnumMap<SocketOption, Integer> values) {
    this.values = values;
  }

  /** No option named. */
  public static SocketOptions none() {
    return NONE;
  }

  /**
   * A copy with that option set.
   *
   * @throws IllegalArgumentException if the value is negative; no option here takes one
   */
  public SocketOptions with(SocketOption option, int value) {
    Objects.requireNonNull(option, "option");
    if (value < 0) {
      throw new IllegalArgumentException(option + " must not be negative: " + value);
    }
    EnumMap<SocketOption, Integer> copy = new EnumMap<>(values);
    copy.put(option, value);
    return new SocketOptions(copy);
  }

  /** A copy with that option on or off. */
  public SocketOptions with(SocketOption option, boolean on) {
    return with(option, on ? 1 : 0);
  }

  /** The named options with their values. */
  public Map<SocketOption, Integer> values() {
    return Collections.unmodifiableMap(values);
  }

  /** The value of an option, or {@code otherwise} when it is not named. */
  public int value(SocketOption option, int otherwise) {
    return values.getOrDefault(option, otherwise);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SocketOptions that && values.equals(that.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return values.toString();
  }
}
