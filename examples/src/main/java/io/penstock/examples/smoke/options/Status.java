package io.penstock.examples.smoke.options;

/** How the process ends. */
public final class Status {
  /** All as it should be. */
  public static final int OK = 0;

  /** The run failed, or a check did. */
  public static final int FAILED = 1;

  /** The line makes no sense. */
  public static final int USAGE = 2;

  /** A backend was named that no JVM has. */
  public static final int DECLARED = 3;

  /** Both directions of every connection are full, and nothing moves. */
  public static final int WEDGED = 4;

  private Status() {}
}
