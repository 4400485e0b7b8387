package io.penstock.shards.pinning;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.os.Libc;
import io.penstock.shards.testing.ForkedJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** In a JVM of its own, since what is confined stays so. */
@EnabledOnOs(OS.LINUX)
class ConfinedProcessTest {
  private final CpuSet allowed = AllowedCpus.ofThisProcess().cpus();
  private final int cpu = allowed.nth(allowed.size() - 1);

  @Test
  void everyThreadOfTheProcessAndAllTheyStartAreConfined() throws Exception {
    Assumptions.assumeTrue(Libc.unavailableReason() == null, "native calls are not possible");

    String confined = ForkedJvm.of(Main.class).run(Integer.toString(cpu)).successfulOutput();

    assertThat(confined.lines())
        .contains(
            "refused: null",
            "process: " + cpu,
            "an earlier thread: " + cpu,
            "a later thread: " + cpu)
        .noneMatch(line -> line.startsWith("elsewhere"));
  }

  @Test
  void aCpuThatIsNotOursIsNamedAndNothingChanges() {
    Assumptions.assumeTrue(Libc.unavailableReason() == null, "native calls are not possible");

    assertThat(Affinity.confineProcess(CpuSet.of(8_000)))
        .isEqualTo("CPU 8000 is not among those this process may use: " + allowed);
    assertThat(AllowedCpus.ofThisProcess().cpus()).isEqualTo(allowed);
  }

  /** Confines itself and says what came of it. */
  static final class Main {
    public static void main(String[] arguments) throws Exception {
      CpuSet cpus = CpuSet.parse(arguments[0]);
      CountDownLatch confined = new CountDownLatch(1);
      FutureTask<CpuSet> earlier =
          new FutureTask<>(
              () -> {
                confined.await();
                return CpuSet.of(Libc.threadAffinity());
              });
      new Thread(earlier).start();

      System.out.println("refused: " + Affinity.confineProcess(cpus));
      confined.countDown();

      System.out.println("process: " + AllowedCpus.ofThisProcess().cpus());
      System.out.println("an earlier thread: " + earlier.get());
      FutureTask<CpuSet> later = new FutureTask<>(() -> CpuSet.of(Libc.threadAffinity()));
      new Thread(later).start();
      System.out.println("a later thread: " + later.get());
      printThreadsElsewhere(cpus);
    }

    private static void printThreadsElsewhere(CpuSet cpus) throws IOException {
      try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
        for (Path task : tasks.toList()) {
          try {
            String line = "Cpus_allowed_list:\t" + cpus;
            if (!Files.readString(task.resolve("status")).contains(line + "\n")) {
              System.out.println("elsewhere: " + Files.readString(task.resolve("comm")).strip());
            }
          } catch (NoSuchFileException e) {
            // The thread has ended since it was listed.
          }
        }
      }
    }
  }
}
