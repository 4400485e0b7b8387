package io.penstock.examples.smoke.mode;

import io.penstock.examples.smoke.options.SmokeOptions;
import io.penstock.examples.smoke.wire.Leg;
import io.penstock.examples.smoke.wire.Peer;
import io.penstock.examples.smoke.wire.Remote;
import io.penstock.shards.core.Endpoint;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/**
 * What a mode works with.
 *
 * @param out where its lines go
 * @param stop set when the run is to end early
 */
public record Run(SmokeOptions options, Leg leg, PrintWriter out, StopSignal stop) {

  /** Starts the server as asked for, and says where; returns where clients find it. */
  Endpoint listen(Supplier<? extends Peer> servers) throws IOException {
    if (options.adopt()) {
      Leg.Adopted adopted = leg.adopt(options.endpoint(), servers);
      out.println("adopted listener descriptor " + adopted.descriptor() + " on " + adopted.local());
      return adopted.local();
    }
    Endpoint local = leg.listen(options.endpoint(), servers);
    out.println("listening on " + local);
    return local;
  }

  /**
   * Connects that many clients at once and waits for all.
   *
   * @throws IOException if one does not get there
   */
  List<Remote> connectAtOnce(Endpoint target, int count, Supplier<? extends Peer> clients)
      throws IOException {
    List<CompletionStage<Remote>> connecting = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      connecting.add(leg.connect(target, clients));
    }
    List<Remote> remotes = new ArrayList<>();
    for (CompletionStage<Remote> one : connecting) {
      remotes.add(await(one, remotes.size() + 1, count, target));
    }
    return remotes;
  }

  /** As {@link #connectAtOnce}, each when the one before is there: accepted in that order, too. */
  List<Remote> connectInTurn(Endpoint target, int count, Supplier<? extends Peer> clients)
      throws IOException {
    List<Remote> remotes = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      remotes.add(await(leg.connect(target, clients), i, count, target));
    }
    return remotes;
  }

  /** The last word of a check: what was interrupted has shown nothing, good or bad. */
  String verdict(boolean passed) {
    if (passed) {
      return "PASS";
    }
    return stop.isStopped() ? "INTERRUPTED" : "FAIL";
  }

  private static Remote await(
      CompletionStage<Remote> connecting, int number, int count, Endpoint target)
      throws IOException {
    try {
      return connecting.toCompletableFuture().get();
    } catch (ExecutionException e) {
      throw new IOException(
          "client "
              + number
              + " of "
              + count
              + " did not connect to "
              + target
              + ": "
              + e.getCause().getMessage(),
          e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while clients connect", e);
    }
  }
}
