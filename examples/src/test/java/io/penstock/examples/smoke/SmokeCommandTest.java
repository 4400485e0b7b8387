package io.penstock.examples.smoke;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.examples.InProcess;
import io.penstock.examples.InProcess.Result;
import io.penstock.examples.Main;
import io.penstock.shards.testing.ForkedJvm;
import io.penstock.shards.testing.Wait;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SmokeCommandTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-s --no-such-switch",
        "-s stray",
        "-s -c many",
        "-s -c",
        "-s -c 1 -m --backend epoll",
        "-s -c 1 --accept --loops 2"
      })
  void aLineThatMakesNoSenseEndsWithStatusTwoAndOneLineOfErrors(String switches) {
    Result run = InProcess.run("smoke " + switches);

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).startsWith("smoke: ").hasLineCount(1);
    assertThat(run.out()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"--iocp", "--rio"})
  void aBackendOfWindowsEndsWithStatusThreeAndTheReason(String backend) {
    Result run = InProcess.run("smoke -s -c 64 -t 5 --latency " + backend);

    assertThat(run.status()).isEqualTo(3);
    assertThat(run.err()).startsWith(backend + ": ").contains("cannot run").hasLineCount(1);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void theHelpNamesEverySwitch() {
    Result run = InProcess.run("smoke --help");

    assertThat(run.status()).isZero();
    assertThat(run.out())
        .contains(
            "--server",
            "--client",
            "--seconds",
            "--shards",
            "--pin",
            "--uds",
            "--size",
            "--window",
            "--pipeline",
            "--latency",
            "--bandwidth",
            "--accept",
            "--managed",
            "--iocp",
            "--rio",
            "--entries",
            "--poke",
            "--adopt",
            "--verify=",
            "--verify-echo",
            "--close-after",
            "--loops",
            "--churn",
            "--sockets",
            "--reset-close",
            "--cpus",
            "--host",
            "--port",
            "--backend",
            "--spin",
            "--json");
  }

  @Test
  void theProcessEndsWithTheStatusAndItsLastLineIsTheJsonObject() throws Exception {
    ForkedJvm.Result run =
        ForkedJvm.of(Main.class)
            .run(
                "smoke",
                "-s",
                "-c",
                "4",
                "-t",
                "1",
                "--latency",
                "-n",
                "2",
                "--port",
                "0",
                "--json");

    List<String> lines = run.successfulOutput().lines().toList();
    JsonNode json = Scenarios.json(lines.get(lines.size() - 1));
    assertThat(json.path("status").asInt(-1)).isZero();
    assertThat(json.path("clients").asInt()).isEqualTo(4);
    assertThat(json.at("/scored/roundTrips").asDouble()).isPositive();
    assertThat(json.at("/end/segmentsOut").asInt(-1)).isZero();
  }

  @Test
  void theBannerSaysWhatRanAndWhyNothingBetterDid() throws Exception {
    ForkedJvm.Result run =
        ForkedJvm.of(Main.class)
            .withoutJars("netty-transport-native-io_uring", "netty-transport-native-epoll")
            .run("smoke", "-s", "-c", "2", "--close-after", "1", "-n", "1", "--port", "0");

    assertThat(run.successfulOutput())
        .startsWith("backend=nio ")
        .contains("note: not io_uring: ", "note: not epoll: ");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void theWholeProcessIsRestrictedToCpus() throws Exception {
    ForkedJvm.Result run =
        ForkedJvm.of(Main.class)
            .run(
                "smoke",
                "--cpus",
                "0",
                "-s",
                "-c",
                "2",
                "--close-after",
                "1",
                "-n",
                "2",
                "--port",
                "0");

    if (run.exitStatus() == 2) {
      // Only where this process may not use CPU 0 or may not make native calls.
      assertThat(run.err()).startsWith("smoke: --cpus: ").hasLineCount(1);
    } else {
      assertThat(run.successfulOutput())
          .startsWith("restricted to CPUs 0")
          .contains(" shards=2 pin=True ", " cpus=0,0 ");
    }
  }

  @Test
  void serverAndClientsRunAsTwo(@TempDir Path folder) throws Exception {
    Path socket = folder.resolve("smoke.sock");
    CompletableFuture<Result> server =
        CompletableFuture.supplyAsync(
            () -> InProcess.run("smoke --backend nio -n 1 -p false -s -t 3 -u " + socket));
    Wait.until("the server listens", () -> Files.exists(socket));

    Result clients =
        Scenarios.succeeds("--backend nio -n 1 -p false -c 4 --close-after 10 -u " + socket);

    assertThat(clients.line("soak: done")).endsWith("=> PASS");
    assertThat(server.get().status()).isZero();
    assertThat(server.get().line("done: ")).endsWith("across 4 connection(s), echoed 20,480 bytes");
    assertThat(socket).doesNotExist();
  }
}
