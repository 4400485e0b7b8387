package io.penstock.examples.echo;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.examples.Main;
import io.penstock.shards.core.Backend;
import io.penstock.shards.poller.probe.NativeProbe;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EchoCommandTest {
  private static final int SIGTERM_STATUS = 143;

  private Process server;

  @AfterEach
  void stop() {
    if (server != null) {
      server.destroyForcibly();
    }
  }

  @ParameterizedTest
  @EnumSource(Backend.class)
  void servesTcpAndUnixUntilItIsStopped(Backend backend, @TempDir Path folder) throws Exception {
    Assumptions.assumeTrue(NativeProbe.status(backend).available(), backend + " cannot run here");
    Path socket = folder.resolve("echo.sock");
    BufferedReader out =
        start("--listen", "0", "--listen", socket.toString(), "--backend", backend.label());

    assertThat(line(out, "echo api=handler")).contains("backend=" + backend.label(), "shards=1");
    String ready = line(out, "ready");
    assertThat(ready).startsWith("ready 127.0.0.1:").endsWith(socket.toString());

    int port = port(ready);
    assertThat(echoOverTcp(port, "penstock")).isEqualTo("penstock");
    assertThat(echoOverUnix(socket, "segment")).isEqualTo("segment");

    server.destroy();
    assertThat(server.waitFor(10, TimeUnit.SECONDS)).as("ends within 10 s").isTrue();
    assertThat(server.exitValue()).isEqualTo(SIGTERM_STATUS);
    assertThat(Files.exists(socket)).as("the socket's file is left").isFalse();
  }

  @Test
  void anAddressInUseIsOneLineAndStatusOne() throws Exception {
    BufferedReader out = start("--listen", "0", "--backend", "nio");
    String port = Integer.toString(port(line(out, "ready")));
    Process first = server;
    try {
      start("--listen", port, "--backend", "nio");
      assertThat(server.waitFor(20, TimeUnit.SECONDS)).isTrue();
      assertThat(server.exitValue()).isEqualTo(1);
      String error = new String(server.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
      // On later JDKs the JVM's own warnings about native access come before.
      assertThat(error.lines())
          .anyMatch(line -> line.startsWith("echo: ") && line.contains("in use"));
    } finally {
      first.destroyForcibly();
    }
  }

  @Test
  void anUnknownBackendIsStatusTwoAndNamesTheKnownOnes() throws Exception {
    start("--listen", "0", "--backend", "kqueue");
    assertThat(server.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(server.exitValue()).isEqualTo(2);
    String error = new String(server.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(error).contains("kqueue", "io_uring", "epoll", "nio");
  }

  private BufferedReader start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(Main.class.getName());
    command.add("echo");
    command.addAll(List.of(arguments));
    command.addAll(List.of("--shards", "1", "--warm-up", "0"));
    server = new ProcessBuilder(command).start();
    return server.inputReader(StandardCharsets.UTF_8);
  }

  /** The next line that begins so; between them a busy machine may have warnings logged. */
  private static String line(BufferedReader out, String begin) throws IOException {
    String line = out.readLine();
    while (line != null && !line.startsWith(begin)) {
      line = out.readLine();
    }
    assertThat(line).as("a line that begins with %s", begin).isNotNull();
    return line;
  }

  private static int port(String ready) {
    Matcher matcher = Pattern.compile("127\\.0\\.0\\.1:(\\d+)").matcher(ready);
    assertThat(matcher.find()).as("a port in: %s", ready).isTrue();
    return Integer.parseInt(matcher.group(1));
  }

  private static String echoOverTcp(int port, String text) throws IOException {
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
      client.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
      return new String(client.getInputStream().readNBytes(text.length()), StandardCharsets.UTF_8);
    }
  }

  private static String echoOverUnix(Path socket, String text) throws IOException {
    try (SocketChannel client = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      client.connect(UnixDomainSocketAddress.of(socket));
      client.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
      ByteBuffer answer = ByteBuffer.allocate(text.length());
      while (answer.hasRemaining() && client.read(answer) >= 0) {
        // Until all is back or the server has ended.
      }
      return new String(answer.array(), 0, answer.position(), StandardCharsets.UTF_8);
    }
  }
}
