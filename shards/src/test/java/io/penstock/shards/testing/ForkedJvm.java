package io.penstock.shards.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Runs a main class of the tests in a JVM of its own, with other flags, another class path, another
 * JDK or behind another command.
 *
 * <p>For one thread. The child is killed when the deadline passes, so that none stays behind; its
 * output goes to files and cannot block it.
 */
public final class ForkedJvm {
  /** Long enough for a JVM start on a machine that is busy with other builds. */
  public static final Duration DEADLINE = Duration.ofSeconds(60);

  private final Class<?> mainClass;
  private final List<String> commandPrefix = new ArrayList<>();
  private final List<String> jvmFlags = new ArrayList<>();
  private List<Path> classPath;
  private Path javaHome = Path.of(System.getProperty("java.home"));

  private ForkedJvm(Class<?> mainClass) {
    this.mainClass = mainClass;
    this.classPath =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .map(Path::of)
            .collect(Collectors.toCollection(ArrayList::new));
  }

  /** A class with a public static {@code main} method; nested ones are fine. */
  public static ForkedJvm of(Class<?> mainClass) {
    return new ForkedJvm(mainClass);
  }

  /**
   * The home of a JDK 25, this JVM's own if it is one, else where Linux distributions install it.
   */
  public static Optional<Path> jdk25Home() {
    if (Runtime.version().feature() == 25) {
      return Optional.of(Path.of(System.getProperty("java.home")));
    }
    Path installed = Path.of("/usr/lib/jvm");
    if (!Files.isDirectory(installed)) {
      return Optional.empty();
    }
    try (DirectoryStream<Path> homes = Files.newDirectoryStream(installed)) {
      for (Path home : homes) {
        if (isJdk25(home)) {
          return Optional.of(home);
        }
      }
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public ForkedJvm javaHome(Path home) {
    javaHome = home;
    return this;
  }

  public ForkedJvm jvmFlags(String... flags) {
    jvmFlags.addAll(List.of(flags));
    return this;
  }

  /** Runs the JVM as the last arguments of this command, for example {@code taskset -c 1}. */
  public ForkedJvm behind(String... command) {
    commandPrefix.addAll(List.of(command));
    return this;
  }

  /**
   * Leaves out the class path entries whose file name starts with one of these. At least one must.
   */
  public ForkedJvm withoutJars(String... namePrefixes) {
    Predicate<Path> leftOut =
        entry ->
            Arrays.stream(namePrefixes)
                .anyMatch(prefix -> entry.getFileName().toString().startsWith(prefix));
    if (!classPath.removeIf(leftOut)) {
      throw new IllegalArgumentException(
          "no entry starts with one of " + List.of(namePrefixes) + " in " + classPath);
    }
    return this;
  }

  /** Puts an entry before all others. */
  public ForkedJvm withJarFirst(Path jar) {
    classPath.add(0, jar);
    return this;
  }

  /** The entry of the class path whose file name starts so. */
  public static Path jarOnClassPath(String namePrefix) {
    return new ForkedJvm(ForkedJvm.class)
        .classPath.stream()
            .filter(entry -> entry.getFileName().toString().startsWith(namePrefix))
            .findFirst()
            .orElseThrow(
                () -> new IllegalStateException("no " + namePrefix + "… on the class path"));
  }

  /** Runs to the end, or fails if that is not reached within {@link #DEADLINE}. */
  public Result run(String... arguments) throws IOException, InterruptedException {
    Path out = Files.createTempFile("forked-jvm", ".out");
    Path err = Files.createTempFile("forked-jvm", ".err");
    try {
      List<String> command = command(arguments);
      Process process =
          new ProcessBuilder(command)
              .redirectOutput(out.toFile())
              .redirectError(err.toFile())
              .start();
      boolean ended = false;
      try {
        process.getOutputStream().close();
        ended = process.waitFor(DEADLINE.toMillis(), TimeUnit.MILLISECONDS);
      } finally {
        if (!ended) {
          process.descendants().forEach(ProcessHandle::destroyForcibly);
          process.destroyForcibly();
        }
      }
      String outText = Files.readString(out);
      String errText = Files.readString(err);
      if (!ended) {
        throw new AssertionError(
            command + " did not end within " + DEADLINE + "\n" + outText + errText);
      }
      return new Result(command, process.exitValue(), outText, errText);
    } finally {
      Files.deleteIfExists(out);
      Files.deleteIfExists(err);
    }
  }

  private List<String> command(String... arguments) {
    List<String> command = new ArrayList<>(commandPrefix);
    command.add(javaHome.resolve("bin").resolve("java").toString());
    command.addAll(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-ea"));
    command.addAll(jvmFlags);
    command.add("-cp");
    command.add(
        classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
    command.add(mainClass.getName());
    command.addAll(List.of(arguments));
    return command;
  }

  private static boolean isJdk25(Path home) throws IOException {
    Path release = home.resolve("release");
    if (!Files.isRegularFile(release) || !Files.isExecutable(home.resolve("bin/java"))) {
      return false;
    }
    Properties properties = new Properties();
    try (var reader = Files.newBufferedReader(release)) {
      properties.load(reader);
    }
    String version = properties.getProperty("JAVA_VERSION", "").replace("\"", "");
    return version.equals("25") || version.startsWith("25.");
  }

  /** What the child left: its exit status and all that it printed. */
  public record Result(List<String> command, int exitStatus, String out, String err) {

    /** Standard output without the last line break, of a child that ended with status 0. */
    public String successfulOutput() {
      if (exitStatus != 0) {
        throw new AssertionError(
            command + " ended with status " + exitStatus + "\n" + out + "\n" + err);
      }
      return out.stripTrailing();
    }
  }
}
