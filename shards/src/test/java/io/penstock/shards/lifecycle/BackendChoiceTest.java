package io.penstock.shards.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.shards.ShardGroup;
import io.penstock.shards.ShardStartException;
import io.penstock.shards.StartupReport.PassedOver;
import io.penstock.shards.core.Backend;
import io.penstock.shards.os.Errno;
import io.penstock.shards.poller.probe.NativeProbe;
import io.penstock.shards.testing.ForkedJvm;
import io.penstock.shards.testing.ResourceCheck;
import io.penstock.shards.testing.Seccomp;
import java.nio.channels.Pipe;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a group runs on where a backend fails, and what remains of the attempt. */
@EnabledOnOs(OS.LINUX)
@ExtendWith(ResourceCheck.class)
class BackendChoiceTest {
  private static final String HOOK = "penstock.test.fail.io_uring";

  @AfterEach
  void noHook() {
    System.clearProperty(HOOK);
  }

  // B62
  @ParameterizedTest
  @ValueSource(strings = {"EPERM", "ENOSYS", "ENOMEM"})
  void withoutTheRingAllShardsRunOnTheNextBackendWhichIsReported(String errno) {
    System.setProperty(HOOK, errno);
    Backend next = NativeProbe.status(Backend.EPOLL).available() ? Backend.EPOLL : Backend.NIO;

    try (ShardGroup group = ShardGroup.start(Groups.small(2))) {
      assertThat(group.report().backend()).isEqualTo(next);
      assertThat(group.report().shards()).hasSize(2);
      PassedOver first = group.report().passedOver().get(0);
      assertThat(first.backend()).isEqualTo(Backend.IO_URING);
      assertThat(first.reason()).contains(errno);
      assertThat(group.report().line()).contains("not io_uring: ").contains(errno);
    }
  }

  // B62
  @ParameterizedTest
  @ValueSource(strings = {"EPERM", "ENOSYS", "ENOMEM"})
  void aNamedBackendThatFailsIsAnErrorWithItsErrno(String errno) {
    System.setProperty(HOOK, errno);

    assertThatThrownBy(() -> ShardGroup.start(Groups.small(Backend.IO_URING, 2)))
        .isInstanceOf(ShardStartException.class)
        .hasMessageContaining("io_uring")
        .hasMessageContaining(errno);
  }

  /**
   * The probe has seen a ring before; then the kernel makes no more, or does not start them on the
   * shard's thread.
   */
  // B62
  @ParameterizedTest
  @ValueSource(ints = {Seccomp.IO_URING_SETUP, Seccomp.IO_URING_REGISTER})
  void aRingThatIsRefusedAfterTheProbeIsPassedOver(int systemCall) throws Exception {
    assumeTrue(NativeProbe.status(Backend.IO_URING).available(), "io_uring is not available");

    String out =
        ForkedJvm.of(RefusedRing.class).run(Integer.toString(systemCall)).successfulOutput();

    assertThat(out.lines().filter(line -> line.startsWith("on ")).toList())
        .singleElement()
        .asString()
        .startsWith("on epoll, not io_uring: ")
        .contains(systemCall == Seccomp.IO_URING_SETUP ? "EPERM" : "refused to enable it");
    if (systemCall == Seccomp.IO_URING_SETUP) {
      assertThat(out).endsWith("nothing left");
    } // Netty cannot close a ring that the kernel did not let it enable.
  }

  /** Descriptors for one ring, but not for all; then for less than one epoll. */
  // B62
  @Test
  void whereDescriptorsEndHalfWayAllShardsRunOnOneBackendOrNoneAndNothingIsLeft() throws Exception {
    List<String> lines =
        ForkedJvm.of(FewDescriptors.class)
            .behind("sh", "-c", "ulimit -n 400; exec \"$@\"", "sh")
            .run()
            .successfulOutput()
            .lines()
            .toList();

    assertThat(lines).hasSize(FewDescriptors.MOST_FREE + 1).allMatch(line -> line.endsWith(" ok"));
    assertThat(lines.get(0)).contains("none");
    if (NativeProbe.status(Backend.IO_URING).available()) {
      // Somewhere between, the first ring was made and a later one failed.
      assertThat(lines.get(lines.size() - 1)).contains("io_uring");
      assertThat(lines).anyMatch(line -> line.contains("none after io_uring: EMFILE"));
    }
  }

  /** Main class: starts a group after the kernel has begun to refuse rings. */
  static final class RefusedRing {
    public static void main(String[] args) throws Exception {
      ShardGroup.start(Groups.small(2)).close();
      Footprint before = Footprint.now();
      Seccomp.refuse(Integer.parseInt(args[0]), Errno.valueOf("EPERM"));
      try (ShardGroup group = ShardGroup.start(Groups.small(2))) {
        PassedOver first = group.report().passedOver().get(0);
        System.out.println(
            "on "
                + group.report().backend().label()
                + ", not "
                + first.backend().label()
                + ": "
                + first.reason());
      }
      System.out.println(Footprint.now().equals(before) ? "nothing left" : Footprint.now());
    }
  }

  /** Main class: starts a group of three with ever more free descriptors. */
  static final class FewDescriptors {
    static final int MOST_FREE = 12;

    public static void main(String[] args) throws Exception {
      for (Backend backend : Backend.values()) {
        if (NativeProbe.status(backend).available()) {
          ShardGroup.start(Groups.small(backend, 3)).close();
        }
      }
      Pipe.open();
      // Loads what a failed start needs, which takes descriptors, too.
      IllegalStateException full = new IllegalStateException("Too many open files");
      for (Backend backend : List.of(Backend.IO_URING, Backend.EPOLL)) {
        System.err.println(NativeProbe.reasonFor(backend, full));
      }
      System.setProperty(HOOK, "EMFILE");
      try {
        ShardGroup.start(Groups.small(Backend.IO_URING, 3)).close();
      } catch (ShardStartException e) {
        System.err.println(e.getMessage());
      }
      System.clearProperty(HOOK);
      for (int free = 0; free <= MOST_FREE; free++) {
        Footprint before = Footprint.now();
        String outcome;
        TakenDescriptors taken = TakenDescriptors.allBut(free);
        try {
          outcome = outcome();
        } finally {
          taken.close();
        }
        Footprint after = Footprint.now();
        System.out.println(
            free + " " + outcome + (after.equals(before) ? " ok" : " " + before + after));
      }
    }

    private static String outcome() {
      try (ShardGroup group = ShardGroup.start(Groups.small(3))) {
        return group.report().backend().label();
      } catch (ShardStartException e) {
        String message = e.getMessage();
        return "none"
            + (message.contains("EMFILE") || message.contains("Too many open files")
                ? " after io_uring: EMFILE"
                : " " + message);
      }
    }
  }
}
