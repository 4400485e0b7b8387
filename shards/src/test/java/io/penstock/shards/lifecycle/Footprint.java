package io.penstock.shards.lifecycle;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * How much of what a runtime takes from the kernel this process has: descriptors by kind, without
 * regular files, which class loading opens; the runtime's threads; mappings of rings.
 */
record Footprint(Map<String, Integer> descriptors, long threads, long ringMappings) {

  static Footprint now() throws IOException {
    Map<String, Integer> kinds = new TreeMap<>();
    try (DirectoryStream<Path> links = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path link : links) {
        String kind = kind(link);
        if (!kind.startsWith("/")) {
          kinds.merge(kind, 1, Integer::sum);
        }
      }
    }
    long threads =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().startsWith("penstock"))
            .count();
    long mappings;
    try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
      mappings = lines.filter(line -> line.contains("io_uring")).count();
    }
    return new Footprint(kinds, threads, mappings);
  }

  private static String kind(Path link) throws IOException {
    try {
      return Files.readSymbolicLink(link).toString().replaceAll("[0-9]+", "");
    } catch (NoSuchFileException e) {
      return "/gone";
    }
  }
}
