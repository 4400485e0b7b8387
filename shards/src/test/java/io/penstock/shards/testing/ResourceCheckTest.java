package io.penstock.shards.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(ResourceCheck.class)
class ResourceCheckTest {

  private static final Duration SHORT = Duration.ofMillis(50);

  private OpenResources before;

  @BeforeEach
  void look() {
    before = OpenResources.now();
  }

  @Test
  void anOpenSocketIsNamedUntilItIsClosed() throws IOException {
    assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")), "descriptors can be listed");
    try (ServerSocketChannel listener =
        ServerSocketChannel.open()
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      assertThat(listener.isOpen()).isTrue();
      assertThatThrownBy(() -> ResourceCheck.requireNothingBeyond(before, SHORT))
          .hasMessageContaining("left open by the test")
          .hasMessageContaining("socket:[");
    }
    ResourceCheck.requireNothingBeyond(before, SHORT);
  }

  @Test
  void selectorsAndPipesAreFoundToo() throws IOException {
    assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")), "descriptors can be listed");
    try (Selector first = Selector.open()) {
      try (Selector second = Selector.open()) {
        assertThat(first).isNotSameAs(second);
        assertThat(OpenResources.now().beyond(before))
            .filteredOn("anon_inode:[eventpoll]"::equals)
            .hasSize(2);
      }
      assertThat(OpenResources.now().beyond(before)).containsOnlyOnce("anon_inode:[eventpoll]");
    }
    Pipe pipe = Pipe.open();
    try (Pipe.SourceChannel source = pipe.source();
        Pipe.SinkChannel sink = pipe.sink()) {
      assertThat(source.isOpen() && sink.isOpen()).isTrue();
      assertThat(OpenResources.now().beyond(before)).hasSize(2).allMatch(s -> s.contains("pipe:["));
    }
    assertThat(OpenResources.now().beyond(before)).isEmpty();
  }

  @Test
  void aThreadOfOursIsNamedUntilItEndsAndOtherThreadsDoNotCount() throws InterruptedException {
    CountDownLatch end = new CountDownLatch(1);
    Thread ours = new Thread(() -> awaitUnchecked(end), "penstock-left-behind");
    Thread other = new Thread(() -> awaitUnchecked(end), "other-left-behind");
    ours.start();
    other.start();
    assertThat(OpenResources.now().beyond(before)).containsExactly("thread penstock-left-behind");

    end.countDown();
    ours.join();
    other.join();
    assertThat(OpenResources.now().beyond(before)).isEmpty();
  }

  @Test
  void aThreadThatIsJustEndingIsWaitedFor() {
    CountDownLatch end = new CountDownLatch(1);
    Thread ours = new Thread(() -> awaitUnchecked(end), "penstock-ending");
    ours.start();
    Thread ending = new Thread(end::countDown);
    ending.start();

    ResourceCheck.requireNothingBeyond(before, Duration.ofSeconds(10));
    assertThat(ours.isAlive()).isFalse();
  }

  @Test
  void regularFilesDoNotCount(@TempDir Path folder) throws IOException {
    try (var file = Files.newOutputStream(folder.resolve("open"))) {
      file.write(1);
      assertThat(OpenResources.now().beyond(before)).isEmpty();
    }
  }

  private static void awaitUnchecked(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
