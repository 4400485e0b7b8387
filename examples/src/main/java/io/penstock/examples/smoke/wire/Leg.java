package io.penstock.examples.smoke.wire;

import io.penstock.examples.smoke.count.Lanes;
import io.penstock.shards.core.Endpoint;
import java.io.IOException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * What carries the test's connections, both ends of them: shards, or the control. For the thread
 * that runs the test; the suppliers of peers are called on the lanes.
 */
public interface Leg extends AutoCloseable {

  Effective effective();

  Lanes lanes();

  /** Binds and begins to accept; returns the address bound. */
  Endpoint listen(Endpoint endpoint, Supplier<? extends Peer> servers) throws IOException;

  /**
   * As {@link #listen} on a listening descriptor that is made elsewhere and handed over.
   *
   * @throws IOException if a descriptor cannot be handed over to what carries
   */
  Adopted adopt(Endpoint endpoint, Supplier<? extends Peer> servers) throws IOException;

  /** Connects a client; fails when it does not get there. */
  CompletionStage<Remote> connect(Endpoint endpoint, Supplier<? extends Peer> clients);

  LegCost cost();

  /** Segments that are out; 0 where there are none. */
  long segmentsOut();

  /** Ends what is still open and waits for it. */
  @Override
  void close();

  /** A descriptor that was handed over, and its address. */
  record Adopted(int descriptor, Endpoint local) {}
}
