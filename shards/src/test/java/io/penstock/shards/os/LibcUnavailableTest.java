package io.penstock.shards.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.shards.testing.ForkedJvm;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class LibcUnavailableTest {

  @Test
  void nativeAccessDeniedIsSaidAndEveryCallRepeatsIt() throws Exception {
    Optional<Path> jdk25 = ForkedJvm.jdk25Home();
    assumeTrue(jdk25.isPresent(), "no JDK 25 is installed");

    String out =
        ForkedJvm.of(Main.class)
            .javaHome(jdk25.orElseThrow())
            .jvmFlags("--illegal-native-access=deny")
            .run()
            .successfulOutput();

    assertThat(out.lines())
        .allSatisfy(
            line ->
                assertThat(line)
                    .startsWith("native access is denied to JNA: start the JVM with")
                    .contains("--enable-native-access=ALL-UNNAMED"))
        .hasSize(2);
  }

  @Test
  void nativeCallsWorkWhereUnsafeMemoryAccessIsDenied() throws Exception {
    Optional<Path> jdk25 = ForkedJvm.jdk25Home();
    assumeTrue(jdk25.isPresent(), "no JDK 25 is installed");

    assertThat(
            ForkedJvm.of(Main.class)
                .javaHome(jdk25.orElseThrow())
                .jvmFlags(
                    "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=deny")
                .run()
                .successfulOutput())
        .isEqualTo("available");
  }

  @Test
  void aMissingJnaIsNamed() throws Exception {
    assertThat(ForkedJvm.of(Main.class).withoutJars("jna-").run().successfulOutput())
        .contains("JNA is not on the class path: class com.sun.jna.");
  }

  @Test
  void aDirectoryThatTakesNoFilesIsNamedAsTheCause() throws Exception {
    assertThat(ForkedJvm.of(Main.class).jvmFlags("-Djna.tmpdir=/proc").run().successfulOutput())
        .startsWith("JNA could not be loaded: ")
        .contains("Failed to create temporary file");
  }

  @Test
  void anotherSystemIsNamedWithoutLoadingAnything() throws Exception {
    assertThat(
            ForkedJvm.of(Main.class)
                .jvmFlags("-Dos.name=Plan 9")
                .withoutJars("jna-")
                .run()
                .successfulOutput())
        .startsWith("calling the C library needs Linux, this is Plan 9");
    assertThat(ForkedJvm.of(Main.class).jvmFlags("-Dos.arch=vax").run().successfulOutput())
        .startsWith("calling the C library needs x86_64 or aarch64, this is vax");
  }

  /** Prints the reason, and what a call then throws. */
  public static final class Main {
    public static void main(String[] args) throws Exception {
      String reason = Libc.unavailableReason();
      if (reason == null) {
        assertThat(Libc.threadAffinity().isEmpty()).isFalse();
        System.out.println("available");
        return;
      }
      System.out.println(reason);
      try {
        Libc.getpid();
      } catch (UnsupportedOperationException e) {
        System.out.println(e.getMessage());
      }
    }
  }
}
