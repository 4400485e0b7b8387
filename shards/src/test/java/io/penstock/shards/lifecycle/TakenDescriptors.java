package io.penstock.shards.lifecycle;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Holds all descriptors that this process may still open, but for some, until it is closed. For a
 * JVM of its own whose limit is low: what else is done there needs descriptors, too, above all
 * loading classes from folders.
 */
final class TakenDescriptors implements AutoCloseable {
  private final Deque<InputStream> taken = new ArrayDeque<>();

  static TakenDescriptors allBut(int free) throws IOException {
    TakenDescriptors descriptors = new TakenDescriptors();
    while (true) {
      try {
        descriptors.taken.push(Files.newInputStream(Path.of("/dev/null")));
      } catch (IOException full) {
        break;
      }
    }
    for (int i = 0; i < free; i++) {
      descriptors.taken.pop().close();
    }
    return descriptors;
  }

  @Override
  public void close() throws IOException {
    for (InputStream one : taken) {
      one.close();
    }
  }
}
