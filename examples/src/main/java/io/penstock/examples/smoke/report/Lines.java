package io.penstock.examples.smoke.report;

import io.penstock.examples.smoke.options.SmokeOptions;
import io.penstock.examples.smoke.wire.Effective;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The lines of a run that is under way. */
public final class Lines {
  private static final double MEBIBYTE = 1 << 20;

  private Lines() {}

  /** What really runs, and in further lines what else to know of it. */
  public static List<String> banner(SmokeOptions options, Effective effective) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    line.append("backend=").append(effective.backend());
    line.append(" transport=").append(options.transport());
    line.append(" mode=").append(options.mode());
    line.append(" size=").append(options.sizeBytes());
    line.append(" shards=").append(effective.shards());
    line.append(" pin=").append(effective.pin());
    line.append(" poke=").append(options.poke() ? "True" : "False");
    line.append(" cpus=").append(effective.cpus());
    line.append(" spin=").append(effective.spinMicros()).append("us");
    if (effective.workers() > 0) {
      line.append(" workers=").append(effective.workers());
    }
    lines.add(line.toString());
    effective.notes().forEach(note -> lines.add("note: " + note));
    return lines;
  }

  /** One second. */
  public static String second(
      Sample start, Sample before, Sample now, int sizeBytes, long connections, long live) {
    double seconds = now.secondsSince(before);
    long bytes = now.returnedBytes() - before.returnedBytes();
    long receives = now.receives() - before.receives();
    return format(
        "[%5.0fs] conns=%d round-trips=%,15d bytes (%,8.1f MiB/s)  echoed=%,15d  rt/s=%,11.0f"
            + "  recv=%,11d avg=%,d bytes/recv  live=%d",
        now.secondsSince(start),
        connections,
        now.returnedBytes(),
        bytes / seconds / MEBIBYTE,
        now.echoedBytes(),
        bytes / (double) sizeBytes / seconds,
        receives,
        receives == 0 ? 0 : (now.receivedBytes() - before.receivedBytes()) / receives,
        live);
  }

  /** All of a run: how much came back in which time. */
  public static String done(Sample start, Sample end, long connections) {
    return format(
        "done: %,d round-trip bytes over %.1fs across %d connection(s), echoed %,d bytes",
        end.returnedBytes(), end.secondsSince(start), connections, end.echoedBytes());
  }

  /** All of a run: how it was received. */
  public static String received(Sample end) {
    return format(
        "recv: %,d completions, %,d bytes, avg %,d bytes/recv",
        end.receives(),
        end.receivedBytes(),
        end.receives() == 0 ? 0 : end.receivedBytes() / end.receives());
  }

  /** As in every country. */
  public static String format(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }
}
