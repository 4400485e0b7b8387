package io.penstock.shards;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PackageDocumentationTest {

  @TempDir Path sources;

  @Test
  void everyPackageOfThisModuleSaysWhatItIsFor() throws IOException {
    assertThat(PackageDocumentation.missingUnder(Path.of("src", "main", "java"))).isEmpty();
  }

  @Test
  void aPackageWithoutPackageInfoIsFound() throws IOException {
    Files.writeString(sources.resolve("Alone.java"), "class Alone {}");

    assertThat(PackageDocumentation.missingUnder(sources)).containsExactly(sources);
  }

  @Test
  void aPackageInfoWithoutACommentIsFound() throws IOException {
    Files.writeString(sources.resolve("package-info.java"), "package alone;");

    assertThat(PackageDocumentation.missingUnder(sources)).containsExactly(sources);
  }
}
