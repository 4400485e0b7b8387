package io.penstock.shards.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test that leaves sockets, pipes, event descriptors, epolls, rings, timers or {@code
 * penstock-} threads behind, and names them. They have two seconds to go away after the test and
 * its {@code @AfterEach}. What a class opens in {@code @BeforeAll} it may keep.
 *
 * <p>It looks at the whole process, so classes that use it must not run in parallel with others.
 */
public final class ResourceCheck implements BeforeEachCallback, AfterEachCallback {

  private static final Duration TIME_TO_CLOSE = Duration.ofSeconds(2);
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(ResourceCheck.class);

  static {
    openWhatTheJdkNeverCloses();
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    context.getStore(NAMESPACE).put(OpenResources.class, OpenResources.now());
  }

  @Override
  public void afterEach(ExtensionContext context) {
    OpenResources before =
        context.getStore(NAMESPACE).get(OpenResources.class, OpenResources.class);
    requireNothingBeyond(before, TIME_TO_CLOSE);
  }

  static void requireNothingBeyond(OpenResources before, Duration timeout) {
    if (OpenResources.now().beyond(before).isEmpty()) {
      return;
    }
    await("everything that the test opened is closed")
        .atMost(timeout)
        .pollInterval(Duration.ofMillis(10))
        .pollInSameThread()
        .untilAsserted(
            () -> {
              List<String> left = OpenResources.now().beyond(before);
              assertThat(left).as("left open by the test").isEmpty();
            });
  }

  // The first use of a channel makes a socket pair that stays; it is not the test's.
  private static void openWhatTheJdkNeverCloses() {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (Selector selector = Selector.open();
        ServerSocketChannel listener = ServerSocketChannel.open().bind(anyPort);
        SocketChannel client = SocketChannel.open(listener.getLocalAddress());
        SocketChannel accepted = listener.accept()) {
      selector.selectNow();
      client.shutdownOutput();
      accepted.shutdownOutput();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
