package io.penstock.examples.smoke.options;

import io.penstock.shards.core.Backend;
import io.penstock.shards.core.Endpoint;
import java.util.Optional;
import java.util.OptionalInt;

/** Makes sense of the switches, or says in one sentence why they make none. */
public final class SmokeLine {
  private static final String DEFAULT_HOST = "127.0.0.1";
  private static final int DEFAULT_PORT = 10_000;
  private static final int DEFAULT_ENTRIES = 4096;
  private static final int FEWEST_ENTRIES = 8;
  private static final int MOST_ENTRIES = 32_768;

  private final SmokeSwitches switches;

  private SmokeLine(SmokeSwitches switches) {
    this.switches = switches;
  }

  /** The backend that cannot be had on any JVM, if the line names one. */
  public static Optional<DeclaredBackend> declared(SmokeSwitches switches) {
    if (switches.iocp) {
      return Optional.of(DeclaredBackend.IOCP);
    }
    return switches.rio ? Optional.of(DeclaredBackend.RIO) : Optional.empty();
  }

  /**
   * What the line amounts to.
   *
   * @throws IllegalArgumentException if it makes no sense; the message is for whoever typed it
   */
  public static SmokeOptions options(SmokeSwitches switches) {
    return new SmokeLine(switches).options();
  }

  private SmokeOptions options() {
    LegKind leg = leg();
    requireSomethingToDo();
    requireConsistentRun();
    requireConsistentSocket(leg);
    return new SmokeOptions(
        leg,
        switches.server,
        switches.clients,
        switches.seconds,
        warmupSeconds(),
        switches.secondMillis,
        endpoint(),
        switches.shards,
        switches.pin,
        Optional.ofNullable(switches.cpus),
        entries(),
        switches.sockets == null ? OptionalInt.empty() : OptionalInt.of(switches.sockets),
        switches.spinMicros,
        switches.sizeBytes,
        switches.window,
        switches.poke,
        switches.adopt,
        switches.verifyBytes,
        switches.verifyEchoBytes,
        closeAfter(),
        switches.loops == null ? 1 : switches.loops,
        switches.churnSeconds,
        switches.resetClose,
        switches.json);
  }

  private LegKind leg() {
    boolean named = !switches.backend.equals("auto");
    refuseIf(
        switches.managed && named,
        "-m is a backend of its own and cannot run on --backend " + switches.backend);
    if (switches.managed) {
      return LegKind.MANAGED;
    }
    return named ? LegKind.of(Backend.parse(switches.backend)) : LegKind.AUTO;
  }

  private void requireSomethingToDo() {
    refuseIf(
        !switches.server && switches.clients == 0 && !isCheck(),
        "nothing to do: give -s for a server, -c N for clients, or --verify N or --verify-echo N");
  }

  private void requireConsistentRun() {
    refuseIf(
        switches.verifyBytes > 0 && switches.verifyEchoBytes > 0,
        "--verify and --verify-echo are two checks; give one");
    boolean ending = switches.closeAfter > 0 || switches.churnSeconds > 0;
    refuseIf(
        isCheck() && ending,
        "a check ends by itself: it takes no --close-after, --churn, --accept");
    refuseIf(
        ending && switches.clients == 0,
        "--close-after, --churn and --accept are about clients: give -c N");
    refuseIf(
        switches.loops != null && switches.closeAfter == 0,
        "--loops repeats --close-after: give that, too");
    refuseIf(
        switches.loops != null && switches.churnSeconds > 0,
        "--loops counts and --churn goes by the clock; give one");
    refuseIf(
        isCheck() && switches.window == SmokeOptions.UNBOUNDED && switches.verifyEchoBytes > 0,
        "--verify-echo needs a window: give --window N instead of --pipeline");
    refuseIf(
        switches.poke && !switches.server && switches.verifyEchoBytes == 0,
        "--poke is about the server's replies: give -s");
    refuseIf(
        switches.adopt && !switches.server && !isCheck(),
        "--adopt is about the server's listener: give -s");
    refuseIf(
        switches.warmupSeconds >= 0
            && switches.seconds > 0
            && switches.warmupSeconds >= switches.seconds,
        "--warmup " + switches.warmupSeconds + " leaves nothing of -t " + switches.seconds);
  }

  private void requireConsistentSocket(LegKind leg) {
    boolean unix = switches.unixName != null;
    refuseIf(
        unix && (switches.host != null || switches.port != null),
        "-u names a Unix socket; --host and --port are for TCP");
    refuseIf(
        unix && switches.unixName.startsWith("@") && leg.isJdk(),
        "-u "
            + switches.unixName
            + ": the JDK has no abstract Unix sockets, so that "
            + leg.label()
            + " cannot have one; give a path, or a native backend");
    refuseIf(
        !unix && Integer.valueOf(0).equals(switches.port) && !switches.server && !isCheck(),
        "--port 0 is for who listens; clients need to know the port");
    int entries = entries();
    refuseIf(
        entries < FEWEST_ENTRIES || entries > MOST_ENTRIES,
        "-e: " + entries + " is not in " + FEWEST_ENTRIES + ".." + MOST_ENTRIES);
  }

  private boolean isCheck() {
    return switches.verifyBytes > 0 || switches.verifyEchoBytes > 0;
  }

  private int warmupSeconds() {
    if (switches.warmupSeconds >= 0) {
      return switches.warmupSeconds;
    }
    return switches.seconds == 1 ? 0 : 1;
  }

  private int entries() {
    return switches.entries == null ? DEFAULT_ENTRIES : switches.entries;
  }

  /** A client that is to be replaced when it ends has to end. */
  private int closeAfter() {
    boolean unsaid = switches.churnSeconds > 0 && switches.closeAfter == 0;
    return unsaid ? 1 : switches.closeAfter;
  }

  private Endpoint endpoint() {
    String name = switches.unixName;
    if (name == null) {
      return Endpoint.tcp(
          switches.host == null ? DEFAULT_HOST : switches.host,
          switches.port == null ? DEFAULT_PORT : switches.port);
    }
    return name.startsWith("@")
        ? new Endpoint.UnixAbstract(name.substring(1))
        : new Endpoint.UnixPath(name);
  }

  private static void refuseIf(boolean contradiction, String message) {
    if (contradiction) {
      throw new IllegalArgumentException(message);
    }
  }
}
