package io.penstock.shards.testing;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A regular file opened by the JDK together with the number of its descriptor. For one thread;
 * closes the descriptor.
 */
public final class OpenFile implements AutoCloseable {
  private final RandomAccessFile file;
  private final int fd;

  public OpenFile(Path path) throws IOException {
    file = new RandomAccessFile(path.toFile(), "rw");
    fd = descriptorOf(path.toRealPath());
  }

  public int fd() {
    return fd;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  /** True if the process has this descriptor open. */
  public static boolean isOpen(int fd) {
    return Files.isSymbolicLink(Path.of("/proc/self/fd", Integer.toString(fd)));
  }

  private static int descriptorOf(Path realPath) throws IOException {
    try (DirectoryStream<Path> links = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path link : links) {
        // The stream's own descriptor is in the list, and others come and go with other threads.
        if (Files.isSymbolicLink(link) && Files.readSymbolicLink(link).equals(realPath)) {
          return Integer.parseInt(link.getFileName().toString());
        }
      }
    }
    throw new IOException("no descriptor is open on " + realPath);
  }
}
