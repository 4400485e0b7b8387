package io.penstock.examples.smoke.options;

import io.penstock.shards.core.Backend;
import io.penstock.shards.pinning.CpuSet;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The switches, taken from left to right: what stands further right wins, also over the aliases.
 * The defaults are those of the original.
 */
public final class SmokeSwitches {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  // Set by the parser; read by SmokeLine, which makes sense of them.
  boolean server;
  int clients;
  int seconds;
  int warmupSeconds = -1;
  int secondMillis = 1_000;
  int shards = 4;
  boolean pin = true;
  String unixName;
  int sizeBytes = 512;
  long window = 1;
  boolean managed;
  String backend = "auto";
  boolean iocp;
  boolean rio;
  Integer entries;
  boolean poke;
  boolean adopt;
  int verifyBytes;
  long verifyEchoBytes;
  int closeAfter;
  Integer loops;
  int churnSeconds;
  Integer sockets;
  boolean resetClose;
  CpuSet cpus;
  String host;
  Integer port;
  long spinMicros;
  boolean json;

  @Option(
      names = {"-s", "--server"},
      order = 1,
      description = "Run the echo server.")
  void server(boolean on) {
    server = on;
  }

  @Option(
      names = {"-c", "--client"},
      order = 2,
      paramLabel = "N",
      description = "Open N client connections, in this process and on the same shards.")
  void clients(String text) {
    clients = (int) atLeast("-c", 0, text);
  }

  @Option(
      names = {"-t", "--seconds"},
      order = 3,
      paramLabel = "S",
      description = "Stop after S reports of one second (default 0: run until Ctrl+C).")
  void seconds(String text) {
    seconds = (int) atLeast("-t", 0, text);
  }

  @Option(
      names = "--warmup",
      order = 4,
      paramLabel = "S",
      description = "Leave the first S seconds out of the summary (default 1 if more follow).")
  void warmup(String text) {
    warmupSeconds = (int) atLeast("--warmup", 0, text);
  }

  @Option(
      names = {"-n", "--shards"},
      order = 5,
      paramLabel = "N",
      description = "Number of shards (default 4).")
  void shards(String text) {
    shards = (int) atLeast("-n", 1, text);
  }

  @Option(
      names = {"-p", "--pin"},
      order = 6,
      paramLabel = "true|false",
      description = "Pin shards to CPUs, wrapping where there are more (default true).")
  void pin(String text) {
    pin = parsed("-p", text, SmokeSwitches::bool);
  }

  @Option(
      names = {"-u", "--uds"},
      order = 7,
      paramLabel = "NAME",
      description = "A Unix socket instead of TCP; @NAME is in Linux's abstract namespace.")
  void unixName(String name) {
    unixName = name;
  }

  @Option(
      names = {"-z", "--size"},
      order = 8,
      paramLabel = "BYTES",
      description = "Size of a message (default 512).")
  void size(String text) {
    sizeBytes = (int) atLeast("-z", 1, text);
  }

  @Option(
      names = "--window",
      order = 9,
      paramLabel = "N",
      description = "Messages in flight per connection; 1 is ping/pong (default 1).")
  void window(String text) {
    window = atLeast("--window", 1, text);
  }

  @Option(
      names = "--pipeline",
      order = 10,
      description =
          "Any number of messages in flight; can wedge a symmetric echo, and says so when it does.")
  void pipeline(boolean on) {
    window = on ? SmokeOptions.UNBOUNDED : window;
  }

  @Option(names = "--latency", order = 11, description = "As --window 1 --size 64.")
  void latency(boolean on) {
    if (on) {
      window = 1;
      sizeBytes = 64;
    }
  }

  @Option(names = "--bandwidth", order = 12, description = "As --window 64 --size 4096.")
  void bandwidth(boolean on) {
    if (on) {
      window = 64;
      sizeBytes = 4096;
    }
  }

  @Option(names = "--accept", order = 13, description = "As --close-after 1 --churn 10.")
  void accept(boolean on) {
    if (on) {
      closeAfter = 1;
      churnSeconds = 10;
    }
  }

  @Option(
      names = "--backend",
      order = 14,
      paramLabel = "NAME",
      description = "auto, io_uring, epoll or nio (default auto: the best that runs here).")
  void backend(String name) {
    backend = parsed("--backend", name, SmokeSwitches::backendName);
  }

  @Option(
      names = {"-m", "--managed"},
      order = 15,
      description =
          "The control: one selector thread and a pool of workers, unpinned; ignores -n and -p.")
  void managed(boolean on) {
    managed = on;
  }

  @Option(names = "--iocp", order = 16, description = "Say why Windows' IOCP does not run here.")
  void iocp(boolean on) {
    iocp = on;
  }

  @Option(names = "--rio", order = 17, description = "Say why Windows' RIO does not run here.")
  void rio(boolean on) {
    rio = on;
  }

  @Option(
      names = {"-e", "--entries"},
      order = 18,
      paramLabel = "N",
      description = "Submission entries of a shard's io_uring (default 4096).")
  void entries(String text) {
    entries = (int) atLeast("-e", 1, text);
  }

  @Option(
      names = "--spin",
      order = 19,
      paramLabel = "MICROS",
      description = "How long a shard looks for work before it parks (default 0).")
  void spin(String text) {
    spinMicros = atLeast("--spin", 0, text);
  }

  @Option(
      names = "--cpus",
      order = 20,
      paramLabel = "SPEC",
      description = "Restrict the whole process to CPUs, such as 0-5 or 0,2.")
  void cpus(String spec) {
    cpus = parsed("--cpus", spec, CpuSet::parse);
  }

  @Option(
      names = "--host",
      order = 21,
      paramLabel = "HOST",
      description = "Where the server listens and clients connect to (default 127.0.0.1).")
  void host(String name) {
    host = name;
  }

  @Option(
      names = "--port",
      order = 22,
      paramLabel = "N",
      description = "TCP port; 0 lets the kernel choose (default 10000).")
  void port(String text) {
    port = (int) between("--port", 0, 65_535, text);
  }

  @Option(
      names = "--poke",
      order = 23,
      description = "The server replies out of band, from another thread.")
  void poke(boolean on) {
    poke = on;
  }

  @Option(
      names = "--adopt",
      order = 24,
      description = "Bind and listen outside of the shards and hand the descriptor over.")
  void adopt(boolean on) {
    adopt = on;
  }

  @Option(
      names = "--verify",
      order = 25,
      paramLabel = "N",
      description = "Check the bytes of sends out of band, with a payload of N bytes.")
  void verify(String text) {
    verifyBytes = (int) atLeast("--verify", 1, text);
  }

  @Option(
      names = "--verify-echo",
      order = 26,
      paramLabel = "N",
      description = "Echo N bytes and check them at both ends; -z and --window apply.")
  void verifyEcho(String text) {
    verifyEchoBytes = between("--verify-echo", 1, Long.MAX_VALUE, text);
  }

  @Option(
      names = "--close-after",
      order = 27,
      paramLabel = "N",
      description = "Each client ends after N messages; all must be gone then.")
  void closeAfter(String text) {
    closeAfter = (int) atLeast("--close-after", 1, text);
  }

  @Option(
      names = "--loops",
      order = 28,
      paramLabel = "N",
      description = "Repeat that N times, 0 for ever (default 1).")
  void loops(String text) {
    loops = (int) atLeast("--loops", 0, text);
  }

  @Option(
      names = "--churn",
      order = 29,
      paramLabel = "S",
      description = "For S seconds replace each client that ends, while others still end.")
  void churn(String text) {
    churnSeconds = (int) atLeast("--churn", 1, text);
  }

  @Option(
      names = "--sockets",
      order = 30,
      paramLabel = "N",
      description = "Connections that a shard may have (default 4096, or what -c needs).")
  void sockets(String text) {
    sockets = (int) atLeast("--sockets", 1, text);
  }

  @Option(
      names = "--reset-close",
      order = 31,
      description = "Clients end with a reset, which leaves no TIME_WAIT behind.")
  void resetClose(boolean on) {
    resetClose = on;
  }

  @Option(
      names = "--json",
      order = 32,
      description = "Print one JSON object with all figures as the last line.")
  void json(boolean on) {
    json = on;
  }

  @Option(
      names = "--second",
      hidden = true,
      order = 33,
      paramLabel = "MILLIS",
      description =
          "How long a second of -t, --warmup and --churn lasts (default 1000; less for a trial).")
  void second(String text) {
    secondMillis = (int) atLeast("--second", 1, text);
  }

  private long atLeast(String option, long least, String text) {
    return between(option, least, Integer.MAX_VALUE, text);
  }

  private long between(String option, long least, long most, String text) {
    return parsed(
        option,
        text,
        digits -> {
          long value;
          try {
            value = Long.parseLong(digits);
          } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + digits + "' is not a number", e);
          }
          if (value < least || value > most) {
            throw new IllegalArgumentException(value + " is not in " + least + ".." + most);
          }
          return value;
        });
  }

  private static boolean bool(String text) {
    if (text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false")) {
      return text.equalsIgnoreCase("true");
    }
    throw new IllegalArgumentException("'" + text + "' is neither true nor false");
  }

  private static String backendName(String name) {
    return name.equals("auto") ? name : Backend.parse(name).label();
  }

  private <T> T parsed(String option, String text, Function<String, T> parsing) {
    try {
      return parsing.apply(text);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), option + ": " + e.getMessage(), e);
    }
  }
}
