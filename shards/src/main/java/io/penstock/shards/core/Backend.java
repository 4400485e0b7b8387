package io.penstock.shards.core;

import java.util.Arrays;
import java.util.stream.Collectors;

/** The kernel interface that a shard drives. Ordered from the one preferred most. */
public enum Backend {
  /** Linux io_uring, through Netty's native library. */
  IO_URING("io_uring"),
  /** Linux epoll, through Netty's native library. */
  EPOLL("epoll"),
  /** The JDK's selector; needs no native library. */
  NIO("nio");

  private final String label;

  Backend(String label) {
    this.label = label;
  }

  /** The name used in options, reports and command lines. */
  public String label() {
    return label;
  }

  /**
   * The backend of that name.
   *
   * @throws IllegalArgumentException if there is none; the message lists those there are
   */
  public static Backend parse(String label) {
    for (Backend backend : values()) {
      if (backend.label.equals(label)) {
        return backend;
      }
    }
    throw new IllegalArgumentException(
        "unknown backend '"
            + label
            + "'; known are "
            + Arrays.stream(values()).map(Backend::label).collect(Collectors.joining(", ")));
  }

  @Override
  public String toString() {
    return label;
  }
}
