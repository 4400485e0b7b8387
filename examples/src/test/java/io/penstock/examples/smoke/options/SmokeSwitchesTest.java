package io.penstock.examples.smoke.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.shards.core.Backend;
import io.penstock.shards.core.Endpoint;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

class SmokeSwitchesTest {

  /** One line for each switch: all that it changes, against the same line without it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--server                  | -c 1             | server=true",
        "-s                        | -c 1             | server=true",
        "--client 64               | -s               | clients=64",
        "-c 64                     | -s               | clients=64",
        "--seconds 5               | -s -c 1          | seconds=5",
        "-t 5                      | -s -c 1          | seconds=5",
        "--shards 12               | -s -c 1          | shards=12",
        "-n 12                     | -s -c 1          | shards=12",
        "--pin false               | -s -c 1          | pin=false",
        "-p False                  | -s -c 1          | pin=false",
        "--uds /tmp/smoke.sock     | -s -c 1          | endpoint=/tmp/smoke.sock",
        "-u relative.sock          | -s -c 1          | endpoint=relative.sock",
        "-u @smoke                 | -s -c 1          | endpoint=@smoke",
        "--size 100000             | -s -c 1          | sizeBytes=100000",
        "-z 64                     | -s -c 1          | sizeBytes=64",
        "--window 16               | -s -c 1          | window=16",
        "--pipeline                | -s -c 1          | window=9223372036854775807",
        "--latency                 | -s -c 1          | sizeBytes=64",
        "--bandwidth               | -s -c 1          | sizeBytes=4096 window=64",
        "--accept                  | -s -c 1          | churnSeconds=10 closeAfter=1",
        "--managed                 | -s -c 1          | leg=managed",
        "-m                        | -s -c 1          | leg=managed",
        "--backend nio             | -s -c 1          | leg=nio",
        "--backend io_uring        | -s -c 1          | leg=io_uring",
        "--backend auto            | -s -c 1          | ''",
        "--entries 128             | -s -c 1          | entries=128",
        "-e 128                    | -s -c 1          | entries=128",
        "--poke                    | -s -c 1          | poke=true",
        "--adopt                   | -s -c 1          | adopt=true",
        "--verify 100000           | -s -c 1          | verifyBytes=100000",
        "--verify-echo 5000000000  | -s -c 1          | verifyEchoBytes=5000000000",
        "--close-after 10          | -s -c 1          | closeAfter=10",
        "--loops 3                 | -s -c 1 --close-after 1 | loops=3",
        "--churn 5                 | -s -c 1 --close-after 1 | churnSeconds=5",
        "--sockets 8               | -s -c 1          | sockets=8",
        "--reset-close             | -s -c 1          | resetClose=true",
        "--cpus 0-5,7              | -s -c 1          | cpus=0-5,7",
        "--host 127.0.0.2          | -s -c 1          | endpoint=127.0.0.2:10000",
        "--port 1234               | -s -c 1          | endpoint=127.0.0.1:1234",
        "--spin 50                 | -s -c 1          | spinMicros=50",
        "--json                    | -s -c 1          | json=true",
        "--second 200              | -s -c 1          | secondMillis=200",
        "--warmup 3                | -s -c 1          | warmupSeconds=3",
      })
  void eachSwitchChangesWhatItNames(String line, String beside, String changed) {
    assertThat(difference(options(beside), options(line + " " + beside)))
        .isEqualTo(changed == null ? "" : changed);
  }

  @Test
  void theDefaultsAreThoseOfTheOriginal() {
    SmokeOptions options = options("-s");

    assertThat(options.leg()).isEqualTo(LegKind.AUTO);
    assertThat(options.clients()).isZero();
    assertThat(options.seconds()).as("until it is stopped").isZero();
    assertThat(options.endpoint()).isEqualTo(Endpoint.tcp("127.0.0.1", 10_000));
    assertThat(options.shards()).isEqualTo(4);
    assertThat(options.pin()).isTrue();
    assertThat(options.entries()).isEqualTo(4096);
    assertThat(options.sizeBytes()).isEqualTo(512);
    assertThat(options.window()).isEqualTo(1);
    assertThat(options.loops()).isEqualTo(1);
    assertThat(options.spinMicros()).isZero();
    assertThat(options.mode()).isEqualTo("ping/pong");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--latency -z 128            | 128  | 1",
        "-z 128 --latency            | 64   | 1",
        "--latency --window 4        | 64   | 4",
        "--window 4 --latency        | 64   | 1",
        "--bandwidth --latency       | 64   | 1",
        "--latency --bandwidth       | 4096 | 64",
        "--pipeline --window 4       | 512  | 4",
        "--pipeline --bandwidth      | 4096 | 64",
        "--bandwidth -z 1 -z 2 -z 3  | 3    | 64",
      })
  void whatStandsFurtherRightWins(String line, int sizeBytes, long window) {
    SmokeOptions options = options("-s -c 1 " + line);

    assertThat(options.sizeBytes()).isEqualTo(sizeBytes);
    assertThat(options.window()).isEqualTo(window);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--accept --churn 2         | 1 | 2",
        "--churn 2 --accept         | 1 | 10",
        "--accept --close-after 7   | 7 | 10",
        "--close-after 7 --accept   | 1 | 10",
        "--churn 3                  | 1 | 3",
      })
  void whatStandsFurtherRightWinsOverAcceptToo(String line, int closeAfter, int churnSeconds) {
    SmokeOptions options = options("-s -c 1 " + line);

    assertThat(options.closeAfter()).isEqualTo(closeAfter);
    assertThat(options.churnSeconds()).isEqualTo(churnSeconds);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-t 1 | 0",
        "-t 5 | 1",
        "     | 1",
      })
  void oneSecondIsWarmUpUnlessThereIsNoMore(String line, int warmupSeconds) {
    assertThat(options("-s -c 1 " + (line == null ? "" : line)).warmupSeconds())
        .isEqualTo(warmupSeconds);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-n 2                              | nothing to do",
        "-s -c 1 -m --backend epoll        | -m is a backend of its own",
        "--verify 1 --verify-echo 1        | give one",
        "--verify 1 --accept               | a check ends by itself",
        "-s --accept                       | give -c N",
        "-s -c 1 --loops 2                 | --loops repeats --close-after",
        "-s -c 1 --accept --loops 2        | give one",
        "--verify-echo 9 --pipeline        | --verify-echo needs a window",
        "-c 1 --poke                       | --poke is about the server",
        "-c 1 --adopt                      | --adopt is about the server",
        "-s -c 1 -t 3 --warmup 3           | leaves nothing of -t 3",
        "-s -u /x --port 5                 | --host and --port are for TCP",
        "-s -u /x --host h                 | --host and --port are for TCP",
        "-s -c 1 -m -u @x                  | no abstract Unix sockets",
        "-s -c 1 --backend nio -u @x       | no abstract Unix sockets",
        "-c 1 --port 0                     | clients need to know the port",
        "-s -e 4                           | -e: 4 is not in 8..32768",
      })
  void whatContradictsItselfIsRefusedInOneSentence(String line, String reason) {
    SmokeSwitches switches = parse(line);

    assertThatThrownBy(() -> SmokeLine.options(switches))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reason)
        .message()
        .doesNotContain("\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-c many         | -c: 'many' is not a number",
        "-c -1           | -c",
        "-n 0            | -n: 0 is not in 1..2147483647",
        "-z 0            | -z: 0 is not in 1..2147483647",
        "--port 65536    | --port: 65536 is not in 0..65535",
        "-p maybe        | -p: 'maybe' is neither true nor false",
        "--cpus 1-0      | --cpus: CPU list '1-0': range '1-0' runs backwards",
        "--backend kqueue | --backend: unknown backend 'kqueue'",
        "--no-such       | --no-such",
        "stray           | stray",
        "-t              | --seconds",
      })
  void aValueThatMakesNoSenseIsNamed(String line, String reason) {
    assertThatThrownBy(() -> parse(line))
        .isInstanceOf(ParameterException.class)
        .hasMessageContaining(reason);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--iocp", "--rio"})
  void theBackendsOfWindowsAreDeclared(String line) {
    assertThat(SmokeLine.declared(parse("-s " + line)))
        .hasValueSatisfying(
            backend -> assertThat(backend.reason()).startsWith(line + ": ").contains("cannot run"));
    assertThat(SmokeLine.declared(parse("-s"))).isEmpty();
  }

  @Test
  void aBackendIsKnownByItsName() {
    assertThat(options("-s --backend epoll").leg()).isEqualTo(LegKind.of(Backend.EPOLL));
  }

  /** The components that differ, with the value of the second. */
  private static String difference(SmokeOptions before, SmokeOptions after) {
    List<String> differences =
        Arrays.stream(SmokeOptions.class.getRecordComponents())
            .filter(component -> !value(component, before).equals(value(component, after)))
            .map(component -> component.getName() + "=" + value(component, after))
            .sorted()
            .toList();
    return String.join(" ", differences);
  }

  private static String value(RecordComponent component, SmokeOptions options) {
    try {
      Object value = component.getAccessor().invoke(options);
      return value instanceof LegKind leg
          ? leg.label()
          : value.toString().replaceAll("Optional(Int)?\\[(.*)]", "$2");
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  private static SmokeOptions options(String line) {
    return SmokeLine.options(parse(line));
  }

  private static SmokeSwitches parse(String line) {
    Holder holder = new Holder();
    new CommandLine(holder)
        .setExpandAtFiles(false)
        .setOverwrittenOptionsAllowed(true)
        .parseArgs(line.strip().split("\\s+", -1));
    return holder.switches;
  }

  @Command
  private static final class Holder {
    @Mixin private SmokeSwitches switches;
  }
}
