package io.penstock.examples.smoke.mode;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.examples.smoke.count.Count;
import io.penstock.examples.smoke.managed.ManagedLeg;
import io.penstock.examples.smoke.options.SmokeLine;
import io.penstock.examples.smoke.options.SmokeOptions;
import io.penstock.examples.smoke.options.SmokeSwitches;
import io.penstock.examples.smoke.options.Status;
import io.penstock.shards.testing.ResourceCheck;
import io.penstock.shards.testing.Wait;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** What a run still says that is told to end before it would by itself. */
@ExtendWith(ResourceCheck.class)
class InterruptionTest {
  private final StringWriter text = new StringWriter();
  private final StopSignal stop = new StopSignal();
  private ManagedLeg leg;

  @BeforeEach
  void start() throws IOException {
    leg = ManagedLeg.start(100, false);
  }

  @AfterEach
  void close() {
    leg.close();
  }

  @Test
  void theTotalsOfARunWithoutEndArePrintedOnceItsClientsHaveClosed() {
    Outcome outcome = interrupt(new ThroughputMode(), "-s -c 4 --latency");

    assertThat(outcome.status()).isEqualTo(Status.OK);
    assertThat(text.toString())
        .contains("\ndone: ", " across 4 connection(s)", "\nrecv: ", "\nrate: ", "\nrtt: ")
        .doesNotContain("did not close", "FAIL");
  }

  @Test
  void aLoopThatIsCutShortIsNeitherPassedNorFailed() {
    Outcome outcome = interrupt(new DrainMode(), "-s -c 2 --close-after 2000000000");

    assertThat(outcome.figures()).containsEntry("passed", false);
    assertThat(text.toString()).contains("soak: done").contains("=> INTERRUPTED");
    assertThat(text.toString()).doesNotContain("FAIL");
  }

  @Test
  void loopsWithoutEndThatAllWentWellPass() {
    Outcome outcome = interrupt(new DrainMode(), "-s -c 2 --close-after 1 --loops 0 --reset-close");

    assertThat(outcome.status()).isEqualTo(Status.OK);
    assertThat(text.toString()).contains("soak: done").contains("=> PASS");
  }

  @Test
  void aCheckThatIsCutShortIsNeitherPassedNorFailed() {
    interrupt(new VerifyEchoMode(), "-c 2 --verify-echo 2000000000000");

    assertThat(text.toString()).contains("verify-echo: roundtripped=").contains("=> INTERRUPTED");
  }

  @Test
  void aSoakThatIsCutShortStillSeesItsClientsEnd() {
    Outcome outcome = interrupt(new ChurnMode(), "-s -c 4 --churn 600 --reset-close");

    assertThat(outcome.status()).isEqualTo(Status.OK);
    assertThat(text.toString()).contains("live=0 (client=0 server=0)").contains("=> PASS");
  }

  private Outcome interrupt(Mode mode, String line) {
    Run run = new Run(options(line), leg, new PrintWriter(text), stop);
    CompletableFuture<Outcome> outcome =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return mode.run(run);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    try {
      Wait.until("something came back", () -> leg.lanes().sum(Count.RETURNED_BYTES) > 0);
    } finally {
      stop.stop();
    }
    return outcome.join();
  }

  private static SmokeOptions options(String line) {
    Holder holder = new Holder();
    new CommandLine(holder).parseArgs(("-m --port 0 " + line).split(" ", -1));
    return SmokeLine.options(holder.switches);
  }

  @Command
  private static final class Holder {
    @Mixin private SmokeSwitches switches;
  }
}
