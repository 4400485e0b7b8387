package io.penstock.shards.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The kernel objects and threads that an I/O runtime must give back: sockets, pipes, event
 * descriptors, epolls, rings and timers of this process, and its live {@code penstock-} threads.
 * Regular files are left out: class loading opens them when it likes. On systems without {@code
 * /proc} there are only the threads.
 */
record OpenResources(List<String> descriptors, List<Thread> threads) {

  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final String THREAD_PREFIX = "penstock-";

  private static final List<String> WATCHED =
      List.of(
          "socket:",
          "pipe:",
          "anon_inode:[eventfd",
          "anon_inode:[eventpoll",
          "anon_inode:[io_uring",
          "anon_inode:[timerfd");

  static OpenResources now() {
    return new OpenResources(openDescriptors(), liveThreads());
  }

  /** What is open here and was not there: descriptors by what they refer to, threads by name. */
  List<String> beyond(OpenResources earlier) {
    List<String> beyond = new ArrayList<>(descriptors);
    // One by one: several descriptors of one kind look alike.
    earlier.descriptors.forEach(beyond::remove);
    for (Thread thread : threads) {
      if (!earlier.threads.contains(thread)) {
        beyond.add("thread " + thread.getName());
      }
    }
    return beyond;
  }

  private static List<String> openDescriptors() {
    List<String> open = new ArrayList<>();
    if (!Files.isDirectory(DESCRIPTORS)) {
      return open;
    }
    try (DirectoryStream<Path> links = Files.newDirectoryStream(DESCRIPTORS)) {
      for (Path link : links) {
        String target = targetOf(link);
        if (WATCHED.stream().anyMatch(target::startsWith)) {
          open.add(target);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return open;
  }

  private static String targetOf(Path link) throws IOException {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (NoSuchFileException closedMeanwhile) {
      return "";
    }
  }

  private static List<Thread> liveThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith(THREAD_PREFIX))
        .toList();
  }
}
