package io.penstock.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.PackageDocumentation;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {

  private final StringWriter errors = new StringWriter();

  @Test
  void aLineWithoutACommandEndsWithStatusTwo() {
    assertThat(run()).isEqualTo(2);
    assertThat(errors.toString()).startsWith("name a command");
  }

  @ParameterizedTest
  @ValueSource(strings = {"no-such-command", "--no-such-switch"})
  void whatIsUnknownEndsWithStatusTwoAndIsNamed(String unknown) {
    assertThat(run(unknown)).isEqualTo(2);
    assertThat(errors.toString().lines().findFirst()).get().asString().contains(unknown);
  }

  @Test
  void everyPackageOfThisModuleSaysWhatItIsFor() throws IOException {
    assertThat(PackageDocumentation.missingUnder(Path.of("src", "main", "java"))).isEmpty();
  }

  private int run(String... line) {
    return Main.commandLine().setErr(new PrintWriter(errors)).execute(line);
  }
}
