package io.penstock.examples.echo;

import io.penstock.shards.ShardGroup;
import io.penstock.shards.ShardGroupOptions;
import io.penstock.shards.ShardStartException;
import io.penstock.shards.core.Backend;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.pinning.CpuSet;
import io.penstock.shards.pinning.PinningMode;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code echo}: serves echo until it is stopped. */
@Command(
    name = "echo",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Serves echo until stopped, on TCP and Unix sockets.")
public final class EchoCommand implements Callable<Integer> {

  /** How the server is written. */
  enum Api {
    handler
  }

  @Spec private CommandSpec spec;

  @Option(
      names = "--listen",
      required = true,
      paramLabel = "WHERE",
      description = "PORT (on 127.0.0.1), HOST:PORT, /PATH or @NAME; may be repeated.")
  private List<String> listen;

  @Option(
      names = "--backend",
      defaultValue = "auto",
      description = "auto, io_uring, epoll or nio (default: ${DEFAULT-VALUE}).")
  private String backend;

  @Option(names = "--shards", defaultValue = "0", description = "How many; 0 for one per CPU.")
  private int shards;

  @Option(
      names = "--cpus",
      description = "CPUs to pin shards to, such as 0,1, or none (default: where it is safe).")
  private String cpus;

  @Option(
      names = "--spin",
      paramLabel = "MICROS",
      description = "How long to look for work before parking (default: where it is safe).")
  private Long spinMicros;

  @Option(
      names = "--warm-up",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description =
          "How long at most to exercise itself before it says ready, so that the first clients meet"
              + " compiled code; it ends when the JIT is quiet (default: ${DEFAULT-VALUE}, 0: off).")
  private int warmUpSeconds;

  @Option(names = "--api", defaultValue = "handler", description = "${COMPLETION-CANDIDATES}.")
  private Api api;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    List<Endpoint> endpoints = endpoints();
    requireNotNegative("--warm-up", warmUpSeconds);
    try (ShardGroup group = start()) {
      List<String> bound = new ArrayList<>();
      for (Endpoint endpoint : endpoints) {
        bound.add(
            group
                .listen(
                    endpoint,
                    ListenOptions.defaults().withBacklog(4096),
                    () -> EchoHandler.INSTANCE)
                .local()
                .toString());
      }
      out.println("echo api=" + api + " " + group.report().line());
      out.flush();
      if (warmUpSeconds > 0) {
        // Listening already: an address that is taken is told at once, and early clients are
        // served.
        WarmUp.run(group, Duration.ofSeconds(warmUpSeconds));
      }
      out.println("ready " + String.join(" ", bound));
      out.flush();
      awaitStop(group);
      return 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 1;
    } catch (IOException | ShardStartException e) {
      spec.commandLine().getErr().println("echo: " + e.getMessage());
      return 1;
    }
  }

  private ShardGroup start() {
    ShardGroupOptions options = options();
    try {
      return ShardGroup.start(options);
    } catch (IllegalArgumentException e) {
      // Above all a CPU that this process may not use.
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private static void awaitStop(ShardGroup group) {
    CountDownLatch stopping = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  group.close();
                  stopping.countDown();
                },
                "echo-stop"));
    try {
      stopping.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private List<Endpoint> endpoints() {
    List<Endpoint> endpoints = new ArrayList<>();
    for (String where : listen) {
      endpoints.add(valid("--listen", () -> Endpoint.parse(where)));
    }
    return endpoints;
  }

  private ShardGroupOptions options() {
    requireNotNegative("--shards", shards);
    ShardGroupOptions options = ShardGroupOptions.defaults().withName("echo").withShards(shards);
    if (!backend.equals("auto")) {
      options = options.withBackend(valid("--backend", () -> Backend.parse(backend)));
    }
    if (spinMicros != null) {
      requireNotNegative("--spin", spinMicros);
      options = options.withSpin(Duration.of(spinMicros, ChronoUnit.MICROS));
    }
    if ("none".equals(cpus)) {
      return options.withPinning(PinningMode.OFF);
    }
    if (cpus != null) {
      CpuSet set = valid("--cpus", () -> CpuSet.parse(cpus));
      options = options.withPinning(PinningMode.ON).withCpus(set);
    }
    return options;
  }

  private void requireNotNegative(String option, long value) {
    if (value < 0) {
      throw new ParameterException(spec.commandLine(), option + ": " + value + " is below 0");
    }
  }

  private <T> T valid(String option, Callable<T> parsing) {
    try {
      return parsing.call();
    } catch (Exception e) {
      throw new ParameterException(
          spec.commandLine(), "Invalid value for " + option + ": " + e.getMessage(), e);
    }
  }
}
