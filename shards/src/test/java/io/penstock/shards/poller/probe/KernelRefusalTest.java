package io.penstock.shards.poller.probe;

import static io.penstock.shards.core.Backend.EPOLL;
import static io.penstock.shards.core.Backend.IO_URING;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.os.LinuxConstants;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelRefusalTest {
  @TempDir Path proc;

  @Test
  void epermIsLaidToTheSwitchThatTurnsIoUringOff() throws Exception {
    file("thread-self/status", "Seccomp:\t2\n");

    file("sys/kernel/io_uring_disabled", "2\n");
    assertThat(reason(LinuxConstants.EPERM))
        .isEqualTo(
            "the kernel refuses io_uring with EPERM (1):"
                + " kernel.io_uring_disabled is 2, off for all processes");

    file("sys/kernel/io_uring_disabled", "1\n");
    assertThat(reason(LinuxConstants.EPERM))
        .endsWith(
            "kernel.io_uring_disabled is 1, only for privileged processes"
                + " and the group in kernel.io_uring_group");
  }

  @Test
  void epermIsLaidToAFilterWhereThereIsOne() throws Exception {
    file("sys/kernel/io_uring_disabled", "0\n");

    file("thread-self/status", "Name:\tjava\nSeccomp:\t2\nSeccomp_filters:\t1\n");
    assertThat(reason(LinuxConstants.EPERM))
        .endsWith("EPERM (1): a seccomp filter forbids it, as container runtimes install");

    file("thread-self/status", "Name:\tjava\nSeccomp:\t0\nSeccomp_filters:\t0\n");
    assertThat(reason(LinuxConstants.EPERM)).endsWith("EPERM (1): a security policy forbids it");
  }

  @Test
  void theSwitchForIoUringIsNoReasonForEpoll() throws Exception {
    file("sys/kernel/io_uring_disabled", "2\n");

    assertThat(new KernelRefusal(proc).reason(EPOLL, LinuxConstants.EPERM))
        .isEqualTo("the kernel refuses epoll with EPERM (1): a security policy forbids it");
  }

  @Test
  void enosysNamesTheKernel() throws Exception {
    file("sys/kernel/osrelease", "4.18.0-553.el8\n");

    assertThat(reason(LinuxConstants.ENOSYS))
        .isEqualTo(
            "the kernel refuses io_uring with ENOSYS (38):"
                + " kernel 4.18.0-553.el8 lacks it, or a seccomp filter hides it");
  }

  @Test
  void enomemNamesTheLimitOfLockedMemory() throws Exception {
    file(
        "self/limits",
        """
        Limit                     Soft Limit           Hard Limit           Units
        Max open files            1024                 524288               files
        Max locked memory         65536                unlimited            bytes
        """);

    assertThat(reason(LinuxConstants.ENOMEM))
        .isEqualTo(
            "the kernel refuses io_uring with ENOMEM (12): memory is short,"
                + " or the limit of locked memory is (Max locked memory 65536; see ulimit -l)");
    assertThat(reason(LinuxConstants.EMFILE))
        .isEqualTo(
            "the kernel refuses io_uring with EMFILE (24): no descriptor is free"
                + " (Max open files 1024)");
  }

  @Test
  void whatProcDoesNotTellStaysUnknown() {
    assertThat(reason(LinuxConstants.EPERM)).endsWith("a security policy forbids it");
    assertThat(reason(LinuxConstants.ENOSYS)).contains("kernel of unknown version");
    assertThat(reason(LinuxConstants.ENOMEM)).contains("Max locked memory unknown");
    assertThat(reason(LinuxConstants.EINVAL))
        .isEqualTo("the kernel refuses io_uring with EINVAL (22)");
    assertThat(reason(4711)).isEqualTo("the kernel refuses io_uring with errno 4711 (4711)");
  }

  private String reason(int errno) {
    return new KernelRefusal(proc).reason(IO_URING, errno);
  }

  private void file(String path, String text) throws IOException {
    Path file = proc.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
