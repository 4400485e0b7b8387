package io.penstock.shards.os;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.unix.Buffer;
import io.netty.channel.unix.Socket;
import io.penstock.shards.testing.OpenFile;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.BitSet;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class LibcTest {
  private static final int FREE_FD = 1_000_000_000;

  @TempDir Path directory;

  @BeforeEach
  void nativeCallsAreAllowed() {
    String reason = Libc.unavailableReason();
    // A JVM with native access denied is one of the ways the suite is run; all else must be able to
    // call.
    Assumptions.assumeFalse(reason != null && reason.contains("native access is denied"), reason);
    assertThat(reason).isNull();
  }

  @Test
  void wholePagesThatAreDiscardedReadAsZeroAndThoseAtTheEdgesStay() {
    int lengthBytes = 1 << 20;
    ByteBuffer memory = ByteBuffer.allocateDirect(lengthBytes);
    long address = Buffer.memoryAddress(memory);
    for (int i = 0; i < lengthBytes; i++) {
      memory.put(i, (byte) 7);
    }

    assertThat(Libc.tryDiscardPages(address + 1, lengthBytes - 2)).isTrue();

    assertThat(memory.get(0)).isEqualTo((byte) 7);
    assertThat(memory.get(lengthBytes - 1)).isEqualTo((byte) 7);
    assertThat(memory.get(lengthBytes / 2)).isZero();
    memory.put(lengthBytes / 2, (byte) 9);
    assertThat(memory.get(lengthBytes / 2)).isEqualTo((byte) 9);
  }

  @Test
  void lessThanAPageIsNotDiscarded() {
    ByteBuffer memory = ByteBuffer.allocateDirect(1 << 12);

    assertThat(Libc.tryDiscardPages(Buffer.memoryAddress(memory) + 1, (1 << 12) - 2)).isFalse();
  }

  @Test
  void aThreadIsConfinedToOneCpuAndTheProcessKeepsItsSet() throws Exception {
    BitSet process = Libc.processAffinity();
    int cpu = process.length() - 1;
    FutureTask<BitSet> confined =
        new FutureTask<>(
            () -> {
              BitSet one = new BitSet();
              one.set(cpu);
              Libc.setThreadAffinity(one);
              assertThat(Libc.processAffinity()).isEqualTo(process);
              return Libc.threadAffinity();
            });
    Thread thread = new Thread(confined);
    thread.start();
    thread.join();

    assertThat(confined.get().stream()).containsExactly(cpu);
    assertThat(Libc.threadAffinity()).isEqualTo(process);
  }

  @Test
  void aCpuOutsideOfTheMachineIsRefusedWithCallAndErrno() {
    BitSet cpus = new BitSet();
    cpus.set(8_000);

    assertThatThrownBy(() -> Libc.setThreadAffinity(cpus))
        .isInstanceOf(ErrnoException.class)
        .hasMessage("sched_setaffinity(0, {8000}) failed: EINVAL (22)");
    assertThatThrownBy(() -> Libc.setThreadAffinity(new BitSet()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void nonBlockingIsSetOnTheDescriptor() throws Exception {
    try (OpenFile file = new OpenFile(directory.resolve("file"))) {
      assertThat(Libc.isNonBlocking(file.fd())).isFalse();

      Libc.setNonBlocking(file.fd());
      Libc.setNonBlocking(file.fd());

      assertThat(Libc.isNonBlocking(file.fd())).isTrue();
    }
  }

  @Test
  void aDuplicateOutlivesTheOriginalAndIsClosedByItself() throws Exception {
    int copy;
    try (OpenFile file = new OpenFile(directory.resolve("file"))) {
      copy = Libc.duplicate(file.fd());
      assertThat(copy).isNotEqualTo(file.fd());
    }
    String flags = Files.readString(Path.of("/proc/self/fdinfo", Integer.toString(copy)));
    assertThat(flags).as("close-on-exec, O_CLOEXEC").containsPattern("flags:\\s+02\\d{6}");

    Libc.close(copy);

    assertThat(OpenFile.isOpen(copy)).isFalse();
  }

  @Test
  void fchmodChangesTheModeOfTheOpenFile() throws Exception {
    Path path = directory.resolve("file");
    try (OpenFile file = new OpenFile(path)) {
      Libc.fchmod(file.fd(), 0640);
    }

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
        .isEqualTo("rw-r-----");
  }

  @Test
  void everyCallOnAClosedDescriptorNamesItselfAndEbadf() {
    assertThatThrownBy(() -> Libc.setNonBlocking(FREE_FD))
        .hasMessage("fcntl(1000000000, F_GETFL) failed: EBADF (9)");
    assertThatThrownBy(() -> Libc.duplicate(FREE_FD))
        .hasMessage("fcntl(1000000000, F_DUPFD_CLOEXEC) failed: EBADF (9)");
    assertThatThrownBy(() -> Libc.fchmod(FREE_FD, 0600))
        .hasMessage("fchmod(1000000000, 0600) failed: EBADF (9)");
    assertThatThrownBy(() -> Libc.close(FREE_FD))
        .isInstanceOfSatisfying(
            ErrnoException.class,
            e -> {
              assertThat(e.errno()).isEqualTo(LinuxConstants.EBADF);
              assertThat(e.call()).isEqualTo("close(1000000000)");
            });
  }

  @Test
  void lstatSeesALinkAndStatItsTargetAsTheJdkDoes() throws Exception {
    Path target = Files.createFile(directory.resolve("target"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), target);

    assertThat(Libc.lstat(bytes(target))).isEqualTo(FileIdentity.of(target));
    assertThat(Libc.lstat(bytes(link))).isEqualTo(FileIdentity.of(link));
    assertThat(Libc.stat(bytes(link))).isEqualTo(FileIdentity.of(target));
    assertThat(Libc.lstat(bytes(link)).isSameFile(Libc.lstat(bytes(target)))).isFalse();
    assertThat(Libc.stat(bytes(Path.of("/dev/null"))))
        .as("a device number with a major part")
        .isEqualTo(FileIdentity.of(Path.of("/dev/null")));
  }

  @Test
  void aSocketFileIsKnownAsOneUntilAnotherFileTakesItsName() throws Exception {
    Path path = directory.resolve("socket");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(path));
      FileIdentity bound = Libc.lstat(bytes(path));
      assertThat(bound.isSocket()).isTrue();

      Path replacement = Files.createFile(directory.resolve("replacement"));
      Files.move(replacement, path, StandardCopyOption.REPLACE_EXISTING);

      FileIdentity now = Libc.lstat(bytes(path));
      assertThat(now.isSocket()).isFalse();
      assertThat(now.isSameFile(bound)).isFalse();
    }
  }

  @Test
  void bindingASocketToAPathDeletesNothingThatIsThere() throws Exception {
    Path free = directory.resolve("s");
    Path taken = Files.writeString(directory.resolve("file"), "stays");
    Socket socket = Socket.newSocketDomain();
    int fd = socket.intValue();
    try {
      assertThatThrownBy(() -> Libc.bindUnix(fd, bytes(taken)))
          .isInstanceOfSatisfying(
              ErrnoException.class, e -> assertThat(e.errno()).isEqualTo(LinuxConstants.EADDRINUSE))
          .hasMessageContaining(taken.toString());
      assertThat(taken).hasContent("stays");
      Libc.bindUnix(fd, bytes(free));
      assertThat(Libc.lstat(bytes(free)).isSocket()).isTrue();
      byte[] tooLong = "x".repeat(108).getBytes(UTF_8);
      assertThatThrownBy(() -> Libc.bindUnix(fd, tooLong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("108");
    } finally {
      socket.close();
    }
  }

  @Test
  void unlinkRemovesANameOfAnyBytesOnce() throws Exception {
    Path path = Files.createFile(directory.resolve("name"));

    Libc.unlink(bytes(path));

    assertThat(path).doesNotExist();
    assertThatThrownBy(() -> Libc.unlink(bytes(path)))
        .hasMessage("unlink(" + path + ") failed: ENOENT (2)");
    assertThatThrownBy(() -> Libc.lstat("/no-such-\u00fc".getBytes(UTF_8)))
        .hasMessage("lstat(/no-such-\\xc3\\xbc) failed: ENOENT (2)");
    assertThatThrownBy(() -> Libc.unlink(new byte[] {'a', 0, 'b'}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("path a\\x00b contains a NUL byte");
  }

  @Test
  void processAndThreadNumbersAreThoseOfTheKernel() throws Exception {
    assertThat(Libc.getpid()).isEqualTo((int) ProcessHandle.current().pid());
    Path self = Files.readSymbolicLink(Path.of("/proc/thread-self"));
    assertThat(self.getFileName()).hasToString(Integer.toString(Libc.gettid()));
  }

  @Test
  void aRingIsMadeAndClosedOrRefusedWithAnErrno() throws Exception {
    long ringsBefore = openRings();

    int errno = Libc.tryIoUringSetup();

    // Which of these it is belongs to the machine; that it is one, and leaves nothing open, to us.
    assertThat(errno)
        .isIn(
            0,
            LinuxConstants.EPERM,
            LinuxConstants.ENOSYS,
            LinuxConstants.ENOMEM,
            LinuxConstants.EMFILE);
    assertThat(openRings()).isEqualTo(ringsBefore);
  }

  private static long openRings() throws IOException {
    long count = 0;
    try (DirectoryStream<Path> links = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path link : links) {
        if (Files.isSymbolicLink(link)
            && Files.readSymbolicLink(link).toString().equals("anon_inode:[io_uring]")) {
          count++;
        }
      }
    }
    return count;
  }

  private static byte[] bytes(Path path) {
    return path.toString().getBytes(UTF_8);
  }
}
