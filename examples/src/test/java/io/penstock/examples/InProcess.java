package io.penstock.examples;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** Runs a command line of the jar in this process. */
public final class InProcess {

  private InProcess() {}

  /** Runs it to its end; the arguments are separated by blanks. */
  public static Result run(String line) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status =
        Main.commandLine()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(line.trim().split("\\s+", -1));
    return new Result(line, status, out.toString(), err.toString());
  }

  /** What it left. */
  public record Result(String line, int status, String out, String err) {

    public List<String> lines() {
      return out.lines().toList();
    }

    public String lastLine() {
      List<String> lines = lines();
      return lines.isEmpty() ? "" : lines.get(lines.size() - 1);
    }

    /** The first line that begins so. */
    public String line(String begin) {
      return lines().stream()
          .filter(line -> line.startsWith(begin))
          .findFirst()
          .orElseThrow(() -> new AssertionError("no line begins with '" + begin + "': " + this));
    }
  }
}
