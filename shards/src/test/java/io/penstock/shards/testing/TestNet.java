package io.penstock.shards.testing;

import io.penstock.shards.Listener;
import io.penstock.shards.Shard;
import io.penstock.shards.ShardGroup;
import io.penstock.shards.ShardGroupOptions;
import io.penstock.shards.core.Backend;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.net.ConnectOptions;
import io.penstock.shards.net.ConnectionHandler;
import io.penstock.shards.net.ConnectionRef;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.pinning.PinningMode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * What a test of one backend and transport works with: a group of shards with small pools, raw
 * peers, addresses. For the test's thread.
 *
 * <p>When it is closed it ends all of that and fails the test if a segment was not given back, a
 * handler was told what it must not be, a file was left behind, or an error was logged.
 */
public final class TestNet {
  private static final long BUDGET_BYTES = 8L << 20;

  private final Backend backend;
  private final Transport transport;
  private final ErrorLog errorLog = new ErrorLog();
  private final List<String> expectedErrors = new ArrayList<>();
  private final List<RecordingHandler> handlers = new ArrayList<>();
  private final Deque<AutoCloseable> closedFirst = new ArrayDeque<>();
  private ShardGroup group;
  private Path folder;
  private int paths;

  TestNet(Backend backend, Transport transport) {
    this.backend = backend;
    this.transport = transport;
  }

  public Backend backend() {
    return backend;
  }

  public boolean isNio() {
    return backend == Backend.NIO;
  }

  public boolean isUnix() {
    return transport == Transport.UNIX;
  }

  /** One unpinned shard with 8 MiB of segments. */
  public ShardGroupOptions options() {
    return ShardGroupOptions.defaults()
        .withName("penstock-test")
        .withBackend(backend)
        .withShards(1)
        .withPinning(PinningMode.OFF)
        .withSegmentBudgetBytes(BUDGET_BYTES);
  }

  /** Starts the group with other options than {@link #options()}. */
  public ShardGroup start(UnaryOperator<ShardGroupOptions> change) {
    if (group != null) {
      throw new IllegalStateException("the group runs already");
    }
    group = ShardGroup.start(change.apply(options()));
    return group;
  }

  /** The group, started with {@link #options()} unless it runs. */
  public ShardGroup group() {
    return group == null ? start(UnaryOperator.identity()) : group;
  }

  public Shard shard() {
    return group().shard(0);
  }

  /** Closed before the group, the last one first. */
  public <T extends AutoCloseable> T closing(T closeable) {
    closedFirst.push(closeable);
    return closeable;
  }

  /** An error that contains this text is to be logged. */
  public void expectError(String text) {
    expectedErrors.add(text);
  }

  /** A free address of the transport. */
  public Endpoint anyAddress() {
    return isUnix() ? new Endpoint.UnixPath(newPath().toString()) : Endpoint.loopback(0);
  }

  /** A path that nothing is at, short enough for a Unix socket. */
  public Path newPath() {
    return folder().resolve("s" + paths++);
  }

  /** A folder that is deleted afterwards; sockets must be gone from it by then. */
  public Path folder() {
    try {
      if (folder == null) {
        folder = Files.createTempDirectory("pst");
      }
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What the JDK calls that endpoint. */
  public static SocketAddress jdkAddress(Endpoint endpoint) {
    return endpoint instanceof Endpoint.UnixPath path
        ? UnixDomainSocketAddress.of(path.path())
        : ((Endpoint.Tcp) endpoint).address();
  }

  /** Listens; all connections get that handler. */
  public Listener listen(ConnectionHandler handler) throws IOException {
    return listen(ListenOptions.defaults(), handler);
  }

  public Listener listen(ListenOptions options, ConnectionHandler handler) throws IOException {
    note(handler);
    return listenEach(options, () -> handler);
  }

  public Listener listenEach(ListenOptions options, Supplier<ConnectionHandler> perConnection)
      throws IOException {
    return group().listen(anyAddress(), options, perConnection);
  }

  /** A raw peer that is connected to the listener; closed with the net. */
  public RawPeer peerOf(Listener listener) throws IOException {
    return closing(RawPeer.connect(jdkAddress(listener.local())));
  }

  /** Has a connection accepted for the handler and returns its peer. */
  public RawPeer accepted(RecordingHandler handler) throws IOException, InterruptedException {
    return accepted(ListenOptions.defaults(), handler);
  }

  public RawPeer accepted(ListenOptions options, RecordingHandler handler)
      throws IOException, InterruptedException {
    RawPeer peer = peerOf(listen(options, handler));
    handler.awaitOpened();
    return peer;
  }

  /** A raw listener; closed with the net. */
  public RawListener rawListener(int backlog) throws IOException {
    return closing(RawListener.open(jdkAddress(anyAddress()), backlog));
  }

  /** Starts to connect from the group. */
  public CompletionStage<ConnectionRef> connect(
      Endpoint endpoint, ConnectOptions options, ConnectionHandler handler) {
    note(handler);
    return group().connect(endpoint, options, handler);
  }

  /** Connects from the group to a raw listener and returns the peer. */
  public RawPeer connected(ConnectOptions options, RecordingHandler handler)
      throws IOException, InterruptedException {
    RawListener listener = rawListener(8);
    connect(listener.endpoint(), options, handler);
    RawPeer peer = closing(listener.accept());
    handler.awaitOpened();
    return peer;
  }

  /** Keeps the shard from its work until that is released. */
  public CountDownLatch holdUp(Shard shard) throws InterruptedException {
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    shard.execute(
        () -> {
          held.countDown();
          try {
            release.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
    held.await();
    closing(release::countDown);
    return release;
  }

  /** Waits until the shards hold no more segments than that, what they keep to read into aside. */
  public void awaitSegmentsOut(long most) {
    Wait.until(() -> group.segmentsOut() + " segments are out", () -> segmentsOut() <= most);
  }

  /** Segments that are out, but for the one that each shard keeps to read into. */
  public long segmentsOut() {
    for (int i = 0; i < group.shardCount(); i++) {
      group.shard(i).execute(() -> {}); // A turn takes home what other threads released.
    }
    return Math.max(0, group.segmentsOut() - group.shardCount());
  }

  /** Has it checked at the end whether the handler was told what it must not be. */
  public RecordingHandler noting(RecordingHandler handler) {
    handlers.add(handler);
    return handler;
  }

  private void note(ConnectionHandler handler) {
    if (handler instanceof RecordingHandler recording) {
      handlers.add(recording);
    }
  }

  void close() throws Exception {
    List<String> problems = new ArrayList<>();
    try {
      for (AutoCloseable closeable : closedFirst) {
        close(closeable, problems);
      }
      if (group != null) {
        group.close();
        problemIf(problems, group.segmentsOut() != 0, group.segmentsOut() + " segments are out");
      }
      deleteFolder(problems);
    } finally {
      errorLog.close();
    }
    for (RecordingHandler handler : handlers) {
      problemIf(problems, !handler.violations().isEmpty(), handler + ": " + handler.violations());
    }
    for (String error : errorLog.errors()) {
      problemIf(problems, expectedErrors.stream().noneMatch(error::contains), error);
    }
    for (String text : expectedErrors) {
      problemIf(
          problems,
          errorLog.errors().stream().noneMatch(error -> error.contains(text)),
          "no error was logged with '" + text + "'");
    }
    if (!problems.isEmpty()) {
      throw new AssertionError("left by the test: " + String.join("; ", problems));
    }
  }

  private static void close(AutoCloseable closeable, List<String> problems) {
    try {
      closeable.close();
    } catch (Exception e) {
      problems.add(closeable + " could not be closed: " + e);
    }
  }

  private void deleteFolder(List<String> problems) throws IOException {
    if (folder == null) {
      return;
    }
    try (Stream<Path> left = Files.list(folder)) {
      for (Path file : left.toList()) {
        problems.add(file.getFileName() + " is left");
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }

  private static void problemIf(List<String> problems, boolean condition, String problem) {
    if (condition) {
      problems.add(problem);
    }
  }
}
