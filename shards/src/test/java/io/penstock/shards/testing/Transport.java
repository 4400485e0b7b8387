package io.penstock.shards.testing;

/** What carries a test's connections. */
public enum Transport {
  /** TCP on the loopback address. */
  TCP("tcp"),
  /** Unix stream sockets with a path. */
  UNIX("unix");

  private final String label;

  Transport(String label) {
    this.label = label;
  }

  @Override
  public String toString() {
    return label;
  }
}
