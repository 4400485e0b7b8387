package io.penstock.shards.poller.probe;

import static io.penstock.shards.core.Backend.EPOLL;
import static io.penstock.shards.core.Backend.IO_URING;
import static io.penstock.shards.core.Backend.NIO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.shards.core.Backend;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class NativeProbeTest {

  @AfterEach
  void injectNothing() {
    for (Backend backend : Backend.values()) {
      System.clearProperty(NativeProbe.TEST_FAILURE_PREFIX + backend.label());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aStatusHasAReasonIfAndOnlyIfTheBackendIsUnavailable(Backend backend) {
    BackendStatus status = NativeProbe.status(backend);

    assertThat(status.backend()).isEqualTo(backend);
    assertThat(status.reason().isEmpty()).isEqualTo(status.available());
    assertThat(NativeProbe.status(backend)).as("asked again").isEqualTo(status);
  }

  @ParameterizedTest
  @CsvSource({
    "io_uring, EPERM, 1",
    "io_uring, ENOSYS, 38",
    "io_uring, ENOMEM, 12",
    "epoll, EPERM, 1",
    "epoll, ENOSYS, 38",
    "epoll, ENOMEM, 12"
  })
  void aRefusalCanBeInjectedAndTakenBack(String label, String errno, int number) {
    Backend backend = Backend.parse(label);
    BackendStatus before = NativeProbe.status(backend);
    String property = NativeProbe.TEST_FAILURE_PREFIX + label;

    System.setProperty(property, errno);
    BackendStatus injected = NativeProbe.status(backend);
    System.clearProperty(property);

    assertThat(injected.available()).isFalse();
    assertThat(injected.reason())
        .startsWith("the kernel refuses " + label + " with " + errno + " (" + number + ")")
        .endsWith(" (" + property + "=" + errno + ")");
    assertThat(NativeProbe.status(backend)).isEqualTo(before);
  }

  @Test
  void aMisspeltInjectionIsAFailureThatNamesIt() {
    System.setProperty(NativeProbe.TEST_FAILURE_PREFIX + "epoll", "EPREM");

    assertThat(NativeProbe.status(EPOLL).reason())
        .isEqualTo("penstock.test.fail.epoll=EPREM: unknown errno name 'EPREM'");
  }

  @Test
  void nioIsAvailableWhateverIsInjected() {
    System.setProperty(NativeProbe.TEST_FAILURE_PREFIX + "nio", "EPERM");

    assertThat(NativeProbe.status(NIO)).isEqualTo(new BackendStatus(NIO, true, ""));
  }

  @Test
  void aFailureToMakeARingIsExplainedByTheErrnoInItsMessage() {
    Throwable failure =
        new IllegalStateException(
            "shard 1",
            new RuntimeException("failed to create io_uring ring fd: Cannot allocate memory"));

    assertThat(NativeProbe.reasonFor(IO_URING, failure))
        .startsWith("the kernel refuses io_uring with ENOMEM (12): ")
        .endsWith("(RuntimeException: failed to create io_uring ring fd: Cannot allocate memory)");
  }

  @Test
  void theLongerOfTwoLikeMessagesIsTaken() {
    assertThat(
            NativeProbe.reasonFor(
                EPOLL, new RuntimeException("epoll_create1(): Too many open files in system")))
        .startsWith("the kernel refuses epoll with ENFILE (23)");
    assertThat(
            NativeProbe.reasonFor(
                EPOLL, new RuntimeException("epoll_create1(): Too many open files")))
        .startsWith("the kernel refuses epoll with EMFILE (24)");
  }

  @Test
  void classesThatDoNotFitAreCalledThat() {
    assertThat(NativeProbe.reasonFor(EPOLL, new NoSuchMethodError("'void x.Y.z()'")))
        .isEqualTo("Netty's classes do not fit together: NoSuchMethodError: 'void x.Y.z()'");
    assertThat(NativeProbe.reasonFor(EPOLL, new NoClassDefFoundError("x/Y")))
        .isEqualTo("Netty's classes do not fit together: NoClassDefFoundError: x/Y");
    assertThat(
            NativeProbe.reasonFor(
                EPOLL,
                new NoClassDefFoundError("Could not initialize class x.Y")
                    .initCause(new IllegalStateException("no"))))
        .startsWith("a class of Netty failed to initialise earlier")
        .endsWith("(Could not initialize class x.Y): IllegalStateException: no");
  }

  @Test
  void anUnknownFailureIsToldAsItIs() {
    assertThat(NativeProbe.reasonFor(EPOLL, new IllegalStateException(new RuntimeException())))
        .isEqualTo("RuntimeException");
    assertThat(NativeProbe.reasonFor(EPOLL, new IOException("the ring broke")))
        .isEqualTo("IOException: the ring broke");
  }

  @Test
  void anIoFailureWhileTheLibraryIsLoadedIsOneOfUnpacking() {
    Throwable failure =
        new UnsatisfiedLinkError("could not load a native library")
            .initCause(new IOException("disk full"));

    assertThat(NativeProbe.reasonFor(EPOLL, failure))
        .isEqualTo(
            "the native library cannot be unpacked: disk full;"
                + " name another folder with -Dio.netty.native.workdir");
  }

  @Test
  void aStatusThatContradictsItselfCannotBeMade() {
    assertThatThrownBy(() -> new BackendStatus(NIO, true, "broken"))
        .hasMessage("nio is available: true, but the reason is 'broken'");
    assertThatThrownBy(() -> new BackendStatus(NIO, false, ""))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
