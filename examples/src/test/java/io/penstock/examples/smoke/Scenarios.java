package io.penstock.examples.smoke;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.examples.InProcess;
import io.penstock.examples.InProcess.Result;
import java.util.Locale;

/** Runs that must go well on whatever carries the connections; {@code leg} says what that is. */
final class Scenarios {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Scenarios() {}

  static void pingPongIsReportedFieldByField(String leg, String backend) {
    Result run = succeeds(leg + " -s -c 4 -t 1 --second 200 --latency --json");

    assertThat(run.lines().get(0))
        .matches(
            "backend="
                + backend
                + " transport=(tcp|uds) mode=ping/pong size=64 shards=\\d+ pin=False poke=False"
                + " cpus=none spin=0us.*");
    assertThat(run.line("opened")).startsWith("opened 4 client connection(s) to ");
    assertThat(run.line("["))
        .matches(
            "\\[ +\\ds] conns=4 round-trips= *[\\d,]+ bytes \\( *[\\d,.]+ MiB/s\\)  echoed= *[\\d,]+"
                + "  rt/s= *[\\d,]+  recv= *[\\d,]+ avg=\\d+ bytes/recv  live=8");
    assertThat(run.line("done: ")).contains(" across 4 connection(s)");
    assertThat(run.line("recv: ")).endsWith("avg 64 bytes/recv");
    assertThat(run.line("rtt: p50 ")).contains("p99.9", "max", "mean");
    assertThat(run.line("end: ")).endsWith("=> clean");
    JsonNode json = json(run.lastLine());
    assertThat(json.path("status").asInt(-1)).isZero();
    assertThat(json.path("roundTripBytes").asLong()).isPositive();
    assertThat(json.at("/scored/roundTripTimeMicros/samples").asLong()).isPositive();
    assertThat(json.at("/scored/roundTripTimeMicros/p50").asDouble()).isPositive();
    assertThat(json.at("/scored/perConnection/minRoundTrips").asDouble()).isPositive();
    assertThat(json.at("/scored/perRoundTrip/systemCalls").asDouble()).isPositive();
    assertThat(json.at("/end/liveServers").asLong(-1)).isZero();
    assertEchoedIsWhatCameBackAndWhatIsOnItsWay(json, 4 * 64);
  }

  static void manyMessagesInFlightAreGathered(String leg) {
    JsonNode json =
        json(succeeds(leg + " -s -c 4 -t 1 --second 200 --bandwidth --warmup 0 --json").lastLine());

    assertThat(json.at("/scored/averageReceiveBytes").asDouble()).isGreaterThan(4096);
    assertThat(json.at("/scored/roundTripTimeMicros").isNull()).isTrue();
    assertEchoedIsWhatCameBackAndWhatIsOnItsWay(json, 4 * 64 * 4096);
  }

  static void anUnboundedWindowGoesOnWhileThereIsRoom(String leg) {
    Result run = succeeds(leg + " -s -c 2 -t 1 --second 300 --pipeline -z 4096");

    assertThat(run.lines().get(0)).contains("mode=pipeline(unbounded)");
    assertThat(run.out()).doesNotContain("wedge");
  }

  static void sendsOutOfBandArriveByteForByte(String leg) {
    assertThat(succeeds(leg + " -c 2 --verify 300001").line("verify: received"))
        .isEqualTo("verify: received=1800006/1800006 mismatches=0 => PASS");
  }

  static void echoesArriveByteForByte(String leg) {
    for (String window : new String[] {"1 -z 700", "64 -z 4096", "3 -z 100000"}) {
      assertThat(
              succeeds(leg + " -c 3 --verify-echo 400000 --window " + window)
                  .line("verify-echo: roundtripped"))
          .isEqualTo(
              "verify-echo: roundtripped=1200000/1200000 clientMismatch=0 serverMismatch=0"
                  + " => PASS");
    }
  }

  static void repliesOfAnotherThreadArriveByteForByte(String leg) {
    for (String window : new String[] {"1 -z 64", "64 -z 4096"}) {
      assertThat(
              succeeds(leg + " -c 3 --poke --verify-echo 100000 --window " + window)
                  .line("verify-echo: roundtripped"))
          .contains("=300000/300000 clientMismatch=0 serverMismatch=0");
    }
  }

  static void clientsThatEndLeaveNothingBehind(String leg) {
    for (String more : new String[] {"", " --reset-close", " --poke --window 4"}) {
      assertThat(succeeds(leg + " -s -c 8 --close-after 5 --loops 4" + more).line("soak: done"))
          .contains("64 sockets churned, final live=0")
          .contains("round-trips=" + grouped(8 * 5 * 4 * 512))
          .endsWith("=> PASS");
    }
  }

  static void clientsThatAreReplacedAllEnd(String leg) {
    String done =
        succeeds(leg + " -s -c 16 --accept --churn 1 --second 250 --sockets 8 --reset-close")
            .line("churn: done");

    assertThat(done).contains("live=0 (client=0 server=0)").endsWith("=> PASS");
  }

  static void aListenerMadeOutsideIsAdopted(String leg) {
    Result run = succeeds(leg + " -s -c 4 --adopt --close-after 3");

    assertThat(run.line("adopted")).matches("adopted listener descriptor \\d+ on .+");
    assertThat(run.line("soak: done")).endsWith("=> PASS");
  }

  static void anAdoptedListenerIsRefusedWithTheReason(String leg) {
    Result run = InProcess.run("smoke " + leg + " -s -c 1 --adopt --close-after 1");

    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err())
        .startsWith("smoke: ")
        .contains("only a listening socket that the process inherited as descriptor 0");
  }

  static Result succeeds(String line) {
    Result run = InProcess.run("smoke " + line);
    assertThat(run.status()).as("status of %s", run).isZero();
    assertThat(run.err()).as("errors of %s", run.line()).isEmpty();
    return run;
  }

  static JsonNode json(String line) {
    try {
      return JSON.readTree(line);
    } catch (JsonProcessingException e) {
      throw new AssertionError("no JSON: " + line, e);
    }
  }

  /** All counted while it goes on, so that the two are not of one moment. */
  private static void assertEchoedIsWhatCameBackAndWhatIsOnItsWay(JsonNode json, long inFlight) {
    assertThat(json.path("echoedBytes").asLong() - json.path("roundTripBytes").asLong())
        .isBetween(-2 * inFlight, 2 * inFlight);
  }

  /** As the lines show numbers. */
  private static String grouped(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }
}
