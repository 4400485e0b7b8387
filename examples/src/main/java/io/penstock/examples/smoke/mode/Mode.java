package io.penstock.examples.smoke.mode;

import java.io.IOException;

/** What a run does, once what carries the connections is there. */
public interface Mode {

  /**
   * Does it, to the end: no client is left when this returns.
   *
   * @throws IOException if it could not begin
   */
  Outcome run(Run run) throws IOException;
}
