package io.penstock.shards;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Finds packages whose purpose is written down nowhere. Other modules' tests use it too. */
public final class PackageDocumentation {

  private PackageDocumentation() {}

  /** The folders under {@code sources} that hold Java files and no documented package-info. */
  public static List<Path> missingUnder(Path sources) throws IOException {
    try (Stream<Path> files = Files.walk(sources)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .map(Path::getParent)
          .distinct()
          .filter(folder -> !isDocumented(folder.resolve("package-info.java")))
          .sorted()
          .toList();
    }
  }

  private static boolean isDocumented(Path packageInfo) {
    try {
      return Files.exists(packageInfo) && Files.readString(packageInfo).contains("/**");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
