package io.penstock.shards.poller.probe;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.shards.core.Backend;
import io.penstock.shards.os.Errno;
import io.penstock.shards.testing.ForkedJvm;
import io.penstock.shards.testing.Seccomp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Each way in which a JVM can lack a backend, made real. Everywhere NIO must remain, and nothing
 * may be thrown.
 */
@EnabledOnOs(OS.LINUX)
class NativeProbeInForkedJvmTest {
  private static final Path OTHER_VERSIONS =
      Path.of("target", "netty-of-other-versions").toAbsolutePath();

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({"EPERM, 1", "ENOSYS, 38", "ENOMEM, 12"})
  void aKernelThatRefusesTheRingIsQuotedAndEpollRemains(String errno, int number) throws Exception {
    Map<String, String> reasons =
        reasons(ForkedJvm.of(Main.class), Integer.toString(Seccomp.IO_URING_SETUP), errno);

    assertThat(reasons.get("io_uring"))
        .startsWith("the kernel refuses io_uring with " + errno + " (" + number + "): ")
        .contains("io_uring ring");
    assertThat(reasons.get("epoll")).isEmpty();
  }

  @Test
  void theFilterThatForbidsTheRingIsNamed() throws Exception {
    Path disabled = Path.of("/proc/sys/kernel/io_uring_disabled");
    assumeTrue(
        !Files.exists(disabled) || Files.readString(disabled).strip().equals("0"),
        "io_uring is disabled by the kernel's own switch");

    assertThat(
            reasons(ForkedJvm.of(Main.class), Integer.toString(Seccomp.IO_URING_SETUP), "EPERM")
                .get("io_uring"))
        .contains("a seccomp filter forbids it");
  }

  @Test
  void aFilterOnTheSecondStepIsQuotedToo() throws Exception {
    String reason =
        reasons(ForkedJvm.of(Main.class), Integer.toString(Seccomp.IO_URING_REGISTER), "EPERM")
            .get("io_uring");

    assertThat(reason).startsWith("the kernel refuses io_uring with EPERM (1)");
  }

  @Test
  void anOldKernelIsNamedWithTheVersionThatIsNeeded() throws Exception {
    String arch = outputOfWhatMustWork("uname", "-m");
    assumeTrue(
        outputOfWhatMustWork("setarch", arch, "--uname-2.6", "uname", "-r").startsWith("2.6."),
        "setarch cannot make the kernel look old here");

    Map<String, String> reasons =
        reasons(ForkedJvm.of(Main.class).behind("setarch", arch, "--uname-2.6"));

    assertThat(reasons.get("io_uring"))
        .startsWith("the kernel is too old: you need at least kernel version 5.9")
        .contains("2.6.");
    assertThat(reasons.get("epoll")).isEmpty();
  }

  @Test
  void nativesSwitchedOffAreCalledSo() throws Exception {
    assertThat(
            reasons(ForkedJvm.of(Main.class).jvmFlags("-Dio.netty.transport.noNative=true"))
                .values())
        .containsExactly(
            "native transports are switched off by -Dio.netty.transport.noNative=true",
            "native transports are switched off by -Dio.netty.transport.noNative=true",
            "");
  }

  @Test
  void missingLibrariesAreNamedWithTheJarThatHasThem() throws Exception {
    Map<String, String> reasons =
        reasons(
            ForkedJvm.of(Main.class)
                .withoutJars("netty-transport-native-io_uring-", "netty-transport-native-epoll-"));

    assertThat(reasons.get("io_uring"))
        .startsWith("no native library on the class path: META-INF/native/libnetty_transport_")
        .contains("add netty-transport-native-io_uring 4.2.18.Final");
    assertThat(reasons.get("epoll")).contains("add netty-transport-native-epoll 4.2.18.Final");
  }

  @Test
  void missingClassesAreNamed() throws Exception {
    assertThat(reasons(ForkedJvm.of(Main.class).withoutJars("netty-")).get("epoll"))
        .isEqualTo(
            "not on the class path: netty-common, netty-buffer, netty-transport,"
                + " netty-transport-native-unix-common, netty-transport-classes-epoll"
                + " 4.2.18.Final");
  }

  @Test
  void anOlderNettyInFrontIsNamedAndNothingOfItIsLoaded() throws Exception {
    Path common = OTHER_VERSIONS.resolve("netty-common-4.1.118.Final.jar");
    Path transport = OTHER_VERSIONS.resolve("netty-transport-4.1.118.Final.jar");
    assertThat(List.of(common, transport)).allMatch(Files::exists);

    String found =
        "needs Netty 4.2.18.Final, found netty-common 4.1.118.Final in "
            + common
            + ", netty-transport 4.1.118.Final in "
            + transport;

    ForkedJvm.Result result =
        ForkedJvm.of(Main.class)
            .withJarFirst(common)
            .withJarFirst(transport)
            .jvmFlags("-Xlog:class+load=info:stderr")
            .run();

    assertThat(result.successfulOutput().lines().toList())
        .hasSize(3)
        .allMatch(line -> line.equals("nio available") || line.contains(found));
    assertThat(result.err()).doesNotContain("io.netty.channel.").contains("NativeProbe");
  }

  @Test
  void aFolderThatTakesNoFilesIsNamed() throws Exception {
    assertThat(reasons(ForkedJvm.of(Main.class).jvmFlags("-Djava.io.tmpdir=/proc")).values())
        .containsExactly(
            "the native library cannot be unpacked into /proc: NoSuchFileException;"
                + " name another folder with -Dio.netty.native.workdir",
            "the native library cannot be unpacked into /proc: NoSuchFileException;"
                + " name another folder with -Dio.netty.native.workdir",
            "");
  }

  @Test
  void aFolderThatCannotBeMadeIsNamed() throws Exception {
    Map<String, String> reasons =
        reasons(ForkedJvm.of(Main.class).jvmFlags("-Dio.netty.native.workdir=/proc/none"));

    assertThat(reasons.get("io_uring"))
        .startsWith("the native library cannot be unpacked: ")
        .contains("/proc/none");
    assertThat(reasons.get("epoll")).startsWith("a class of Netty failed to initialise earlier");
  }

  @Test
  void aFolderMountedNoexecIsCalledSo() throws Exception {
    String mount = "mount -t tmpfs -o noexec tmpfs \"$0\"";
    outputOfWhatMustWork("unshare", "-m", "sh", "-c", mount, folder.toString());

    Map<String, String> reasons =
        reasons(
            ForkedJvm.of(Main.class)
                .behind("unshare", "-m", "sh", "-c", mount + " && exec \"$@\"", folder.toString())
                .jvmFlags("-Djava.io.tmpdir=" + folder));

    assertThat(List.of(reasons.get("io_uring"), reasons.get("epoll")))
        .allMatch(reason -> reason.contains("which is mounted noexec; name another with -D"));
  }

  @Test
  void deniedNativeAccessIsNamedWithTheFlagThatAllowsIt() throws Exception {
    Optional<Path> jdk25 = ForkedJvm.jdk25Home();
    assumeTrue(jdk25.isPresent(), "no JDK 25 is installed");

    Map<String, String> reasons =
        reasons(
            ForkedJvm.of(Main.class)
                .javaHome(jdk25.orElseThrow())
                .jvmFlags("--illegal-native-access=deny"));

    assertThat(List.of(reasons.get("io_uring"), reasons.get("epoll")))
        .allMatch(reason -> reason.startsWith("native access is denied to Netty: start the JVM"))
        .allMatch(reason -> reason.contains("--enable-native-access=ALL-UNNAMED"));
  }

  @Test
  void anotherSystemIsNamed() throws Exception {
    assertThat(reasons(ForkedJvm.of(Main.class).jvmFlags("-Dos.name=Plan 9")).values())
        .containsExactly("needs Linux, this is Plan 9", "needs Linux, this is Plan 9", "");
  }

  @Test
  void aRefusalInjectedOnTheCommandLineHoldsForItsBackendAlone() throws Exception {
    Map<String, String> reasons =
        reasons(ForkedJvm.of(Main.class).jvmFlags("-Dpenstock.test.fail.io_uring=EPERM"));

    assertThat(reasons.get("io_uring"))
        .startsWith("the kernel refuses io_uring with EPERM (1): ")
        .endsWith("(penstock.test.fail.io_uring=EPERM)");
    assertThat(reasons.get("epoll")).isEmpty();
  }

  /** The reason of each backend by its label, empty if it is available. NIO must be. */
  private static Map<String, String> reasons(ForkedJvm jvm, String... arguments) throws Exception {
    Map<String, String> reasons = new LinkedHashMap<>();
    jvm.run(arguments)
        .successfulOutput()
        .lines()
        .forEach(
            line -> {
              String[] fields = line.split(" ", 3);
              reasons.put(fields[0], fields.length == 3 ? fields[2] : "");
              assertThat(fields[1]).isEqualTo(fields.length == 3 ? "unavailable" : "available");
            });
    assertThat(reasons).containsOnlyKeys("io_uring", "epoll", "nio").containsEntry("nio", "");
    return reasons;
  }

  /** Runs a command that prepares a test; where it does not work, the test cannot be made here. */
  private static String outputOfWhatMustWork(String... command) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String out = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
      int status = process.waitFor();
      assumeTrue(
          status == 0, () -> String.join(" ", command) + " ended with " + status + ": " + out);
      return out;
    } catch (IOException e) {
      return abort(String.join(" ", command) + " cannot be run: " + e.getMessage());
    }
  }

  /**
   * Prints a line for each backend; with a system call and an errno as arguments, has that call
   * refused first.
   */
  public static final class Main {
    public static void main(String[] args) {
      if (args.length > 0) {
        Seccomp.refuse(Integer.parseInt(args[0]), Errno.valueOf(args[1]));
      }
      for (Backend backend : Backend.values()) {
        BackendStatus status = NativeProbe.status(backend);
        System.out.println(
            backend.label()
                + (status.available() ? " available" : " unavailable " + status.reason()));
      }
    }
  }
}
