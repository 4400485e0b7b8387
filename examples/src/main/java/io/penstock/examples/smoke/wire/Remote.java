package io.penstock.examples.smoke.wire;

/** A client as the thread that connected it sees it. */
public interface Remote {

  /** Ends it once all has left. */
  void close();

  /** Ends it with a reset. */
  void reset();
}
