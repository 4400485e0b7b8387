package io.penstock.examples.readme;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.Listener;
import io.penstock.shards.ShardGroup;
import io.penstock.shards.core.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ReadmeTest {
  private static final Path SOURCE =
      Path.of("src/main/java/io/penstock/examples/readme/Shouting.java");

  @Test
  void theReadmeShowsTheCodeThatIsTested() throws IOException {
    String readme = Files.readString(Path.of("../README.md"));
    int begin = readme.indexOf("```java\n") + "```java\n".length();
    String shown = readme.substring(begin, readme.indexOf("```", begin));

    assertThat(shown).isEqualTo(excerpt());
  }

  @Test
  void theExampleAnswersInCapitals() throws IOException {
    try (ShardGroup group = ShardGroup.start()) {
      Listener listener = Shouting.serve(group, Endpoint.loopback(0));
      int port = ((Endpoint.Tcp) listener.local()).address().getPort();
      try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
        client.getOutputStream().write("penstock".getBytes(StandardCharsets.UTF_8));
        byte[] answer = client.getInputStream().readNBytes(8);

        assertThat(new String(answer, StandardCharsets.UTF_8)).isEqualTo("PENSTOCK");
      }
    }
  }

  /** The lines between the marks, without the indentation of the class around them. */
  private static String excerpt() throws IOException {
    List<String> lines = Files.readAllLines(SOURCE);
    int begin = lines.indexOf("  // README begin");
    int end = lines.indexOf("  // README end");
    return lines.subList(begin + 1, end).stream()
        .map(line -> line.startsWith("  ") ? line.substring(2) : line)
        .collect(Collectors.joining("\n", "", "\n"));
  }
}
