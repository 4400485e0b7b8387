package io.penstock.examples.echo;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.examples.InProcess;
import io.penstock.examples.InProcess.Result;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EchoSwitchesTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "--listen 0 --shards -1",
        "--listen 0 --shards many",
        "--listen 0 --spin -5",
        "--listen 0 --warm-up -1",
        "--listen 0 --cpus 1-0",
        "--listen 0 --cpus 900",
        "--listen 0 --api actors-to-come",
        "--listen 0 stray",
        "--listen nothing-of-the-kind"
      })
  void aLineThatMakesNoSenseEndsWithStatusTwoAndOneLineOfErrors(String switches) {
    Result run = InProcess.run("echo " + switches);

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).startsWith("echo: ").hasLineCount(1);
    assertThat(run.out()).isEmpty();
  }
}
