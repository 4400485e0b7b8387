package io.penstock.shards.pinning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AllowedCpusTest {
  @TempDir Path directory;

  @Test
  void theSystemCallIsAskedFirst() throws Exception {
    AllowedCpus allowed =
        AllowedCpus.read(
            () -> CpuSet.of(1, 3).toBitSet(), null, status("Cpus_allowed_list:\t0\n"), 8);

    assertThat(allowed).isEqualTo(new AllowedCpus(CpuSet.of(1, 3), true, "sched_getaffinity"));
  }

  @Test
  void withoutNativeCallsTheStatusFileIsRead() throws Exception {
    Path status =
        status("Name:\tjava\nCpus_allowed:\tf0\nCpus_allowed_list:\t4-7\nMems_allowed:\t1\n");

    AllowedCpus allowed = AllowedCpus.read(AllowedCpusTest::mustNotBeCalled, "no JNA", status, 8);

    assertThat(allowed).isEqualTo(new AllowedCpus(CpuSet.parse("4-7"), true, status.toString()));
  }

  @Test
  void aRefusedSystemCallLeadsToTheStatusFileToo() throws Exception {
    Path status = status("Cpus_allowed_list:\t2\n");

    AllowedCpus allowed =
        AllowedCpus.read(
            () -> {
              throw new IOException("sched_getaffinity(7) failed: EPERM (1)");
            },
            null,
            status,
            8);

    assertThat(allowed.cpus()).isEqualTo(CpuSet.of(2));
    assertThat(allowed.known()).isTrue();
  }

  @Test
  void withNeitherTheSetIsGuessedAndBothReasonsAreKept() {
    Path missing = directory.resolve("missing");

    AllowedCpus allowed = AllowedCpus.read(AllowedCpusTest::mustNotBeCalled, "no JNA", missing, 3);

    assertThat(allowed.cpus()).isEqualTo(CpuSet.firstN(3));
    assertThat(allowed.known()).isFalse();
    assertThat(allowed.source()).startsWith("no JNA; cannot read " + missing + ": ");
  }

  @Test
  void aStatusFileWithoutTheListIsNotBelieved() throws Exception {
    Path status = status("Name:\tjava\n");

    AllowedCpus allowed = AllowedCpus.read(AllowedCpusTest::mustNotBeCalled, "no JNA", status, 1);

    assertThat(allowed.known()).isFalse();
    assertThat(allowed.source()).endsWith("no line starts with Cpus_allowed_list:");
  }

  @Test
  void anEmptySetIsRefused() {
    assertThatThrownBy(() -> new AllowedCpus(CpuSet.of(), true, "a test"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private Path status(String text) throws IOException {
    return Files.writeString(directory.resolve("status"), text);
  }

  private static BitSet mustNotBeCalled() {
    throw new AssertionError("called");
  }
}
