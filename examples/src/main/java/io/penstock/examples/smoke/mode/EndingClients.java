package io.penstock.examples.smoke.mode;

import io.penstock.examples.smoke.options.SmokeOptions;
import io.penstock.examples.smoke.peer.EchoServer;
import io.penstock.examples.smoke.peer.Pattern;
import io.penstock.examples.smoke.peer.Traffic;
import io.penstock.shards.core.Endpoint;
import java.io.IOException;

/** What the two modes share whose clients end by themselves. */
final class EndingClients {

  private EndingClients() {}

  static Traffic traffic(SmokeOptions options) {
    return new Traffic(
        Pattern.constant(),
        options.sizeBytes(),
        options.window(),
        (long) options.closeAfter() * options.sizeBytes(),
        options.resetClose());
  }

  /** Starts the server, if it is to be here. */
  static Endpoint target(Run run) throws IOException {
    SmokeOptions options = run.options();
    Endpoint target =
        options.server() ? run.listen(() -> new EchoServer(options.poke())) : options.endpoint();
    if (!options.endpoint().isUnix() && !options.resetClose()) {
      run.out()
          .println(
              "warning: a client that closes TCP in order leaves its port in TIME_WAIT, and runs"
                  + " that follow each other find fewer; --reset-close and -u do not");
    }
    return target;
  }
}
