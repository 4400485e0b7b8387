package io.penstock.examples.smoke.report;

import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;

/** The process's sockets, pipes, and descriptors of epoll, io_uring and events. */
public final class Descriptors {
  private static final Path ALL = Path.of("/proc/self/fd");

  /** What a link in that folder begins with; regular files come and go as classes are loaded. */
  private static final List<String> WATCHED = List.of("socket:", "pipe:", "anon_inode:");

  private Descriptors() {}

  /** How many are open; empty where the system does not tell. */
  public static OptionalInt open() throws IOException {
    if (!Files.isDirectory(ALL)) {
      return OptionalInt.empty();
    }
    int count = 0;
    try (DirectoryStream<Path> links = Files.newDirectoryStream(ALL)) {
      for (Path link : links) {
        String target = targetOf(link);
        if (WATCHED.stream().anyMatch(target::startsWith)) {
          count++;
        }
      }
    }
    return OptionalInt.of(count);
  }

  /** For a line. */
  public static String text(OptionalInt count) {
    return count.isPresent() ? Integer.toString(count.getAsInt()) : "unknown";
  }

  /** Opens what the JDK opens with its first channel and keeps, so that it counts as there. */
  public static void openWhatTheJdkKeeps() throws IOException {
    try (Selector selector = Selector.open();
        ServerSocketChannel listener = ServerSocketChannel.open();
        SocketChannel client = SocketChannel.open()) {
      client.configureBlocking(false);
      listener.configureBlocking(false);
      selector.selectNow();
    }
  }

  private static String targetOf(Path link) throws IOException {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (NoSuchFileException closedMeanwhile) {
      return "";
    }
  }
}
