package io.penstock.shards.testing;

import io.penstock.shards.memory.Segment;
import io.penstock.shards.net.CloseReason;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ConnectionHandler;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Notes what one connection is told, then does what the test gave it to do. Callbacks in an order
 * that no connection may have are noted, too, and fail the test.
 *
 * <p>Made and given its actions by the test's thread before it is used; then its callbacks belong
 * to the shard, all else to the test.
 */
public final class RecordingHandler implements ConnectionHandler {
  static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final int KEPT_BYTES = 1 << 16;

  private final CountDownLatch opened = new CountDownLatch(1);
  private final CountDownLatch peerFinished = new CountDownLatch(1);
  private final CountDownLatch closed = new CountDownLatch(1);

  private Consumer<Connection> whenOpened = connection -> {};
  private BiConsumer<Connection, Segment> whenReceived = (connection, segment) -> segment.release();
  private Consumer<Connection> whenPeerFinished = Connection::close;
  private Consumer<Connection> whenWritable = connection -> {};
  private BiConsumer<Connection, CloseReason> whenClosed = (connection, reason) -> {};

  // All below is guarded by this: noted on the shard, asked for by the test.
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final List<String> violations = new ArrayList<>();
  private Pattern.Check check;
  private byte[] copy = new byte[1 << 12];
  private Connection connection;
  private Thread thread;
  private CloseReason reason;
  private long receivedBytes;
  private int segments;
  private int writableCount;

  /** Demands all that comes and releases it. */
  public static RecordingHandler reading() {
    return new RecordingHandler().whenOpened(Connection::demandUnbounded);
  }

  /** Demands nothing. */
  public static RecordingHandler silent() {
    return new RecordingHandler();
  }

  /** Demands all that comes and writes it back. */
  public static RecordingHandler echoing() {
    return reading().whenReceived(Connection::write);
  }

  public RecordingHandler whenOpened(Consumer<Connection> action) {
    whenOpened = action;
    return this;
  }

  /** The segment passes to the action. */
  public RecordingHandler whenReceived(BiConsumer<Connection, Segment> action) {
    whenReceived = action;
    return this;
  }

  /** By default it closes. */
  public RecordingHandler whenPeerFinished(Consumer<Connection> action) {
    whenPeerFinished = action;
    return this;
  }

  public RecordingHandler whenWritable(Consumer<Connection> action) {
    whenWritable = action;
    return this;
  }

  public RecordingHandler whenClosed(BiConsumer<Connection, CloseReason> action) {
    whenClosed = action;
    return this;
  }

  /** Compares what comes with the pattern instead of keeping it. */
  public RecordingHandler expecting(Pattern pattern) {
    check = pattern.check();
    return this;
  }

  @Override
  public void onOpened(Connection newConnection) {
    synchronized (this) {
      require(connection == null, "opened twice");
      connection = newConnection;
      thread = Thread.currentThread();
    }
    opened.countDown();
    whenOpened.accept(newConnection);
  }

  @Override
  public void onReceived(Connection from, Segment segment) {
    synchronized (this) {
      requireLive("received");
      require(peerFinished.getCount() > 0, "received behind the peer's end");
      note(segment);
    }
    whenReceived.accept(from, segment);
  }

  private void note(Segment segment) {
    int lengthBytes = segment.length();
    require(lengthBytes > 0, "received an empty segment");
    if (copy.length < lengthBytes) {
      copy = new byte[lengthBytes];
    }
    segment.copyTo(0, copy, 0, lengthBytes);
    receivedBytes += lengthBytes;
    segments++;
    if (check == null) {
      bytes.write(copy, 0, Math.min(lengthBytes, KEPT_BYTES - bytes.size()));
    } else {
      check.accept(copy, 0, lengthBytes);
    }
  }

  @Override
  public void onPeerFinished(Connection from) {
    synchronized (this) {
      requireLive("peer finished");
      require(peerFinished.getCount() > 0, "peer finished twice");
    }
    peerFinished.countDown();
    whenPeerFinished.accept(from);
  }

  @Override
  public void onWritable(Connection from) {
    synchronized (this) {
      requireLive("writable");
      writableCount++;
    }
    whenWritable.accept(from);
  }

  @Override
  public void onClosed(Connection from, CloseReason why) {
    synchronized (this) {
      require(reason == null, "closed twice");
      if (connection != null) {
        require(thread == Thread.currentThread(), "closed on " + Thread.currentThread());
      }
      connection = from;
      reason = why;
    }
    try {
      whenClosed.accept(from, why);
    } finally {
      closed.countDown();
    }
  }

  private void requireLive(String what) {
    require(connection != null, what + " before it was opened");
    require(reason == null, what + " after it was closed");
    require(thread == Thread.currentThread(), what + " on " + Thread.currentThread());
  }

  private void require(boolean condition, String otherwise) {
    if (!condition) {
      violations.add(otherwise);
    }
  }

  synchronized List<String> violations() {
    return List.copyOf(violations);
  }

  /** Waits for the connection. */
  public Connection awaitOpened() throws InterruptedException {
    await(opened, "opened");
    return connection();
  }

  public void awaitPeerFinished() throws InterruptedException {
    await(peerFinished, "told that its peer finished");
  }

  public CloseReason awaitClosed() throws InterruptedException {
    return awaitClosed(DEADLINE);
  }

  public CloseReason awaitClosed(Duration deadline) throws InterruptedException {
    if (!closed.await(deadline.toNanos(), TimeUnit.NANOSECONDS)) {
      throw new AssertionError(this + " was not closed within " + deadline);
    }
    return reason();
  }

  private void await(CountDownLatch latch, String what) throws InterruptedException {
    if (!latch.await(DEADLINE.toNanos(), TimeUnit.NANOSECONDS)) {
      throw new AssertionError(this + " was not " + what + " within " + DEADLINE);
    }
  }

  /** Waits until that many bytes came in all. */
  public void awaitReceived(long expectedBytes) {
    Wait.until(() -> this + " received " + expectedBytes, () -> receivedBytes() >= expectedBytes);
  }

  public boolean isOpened() {
    return opened.getCount() == 0;
  }

  public boolean isPeerFinished() {
    return peerFinished.getCount() == 0;
  }

  public boolean isClosed() {
    return closed.getCount() == 0;
  }

  /** The connection, once opened or closed; may be asked for its ref only. */
  public synchronized Connection connection() {
    return connection;
  }

  public synchronized CloseReason reason() {
    return reason;
  }

  public synchronized long receivedBytes() {
    return receivedBytes;
  }

  /** Segments received. */
  public synchronized int segments() {
    return segments;
  }

  public synchronized int writableCount() {
    return writableCount;
  }

  /** What came first, up to 64 KiB, of a handler that expects no pattern. */
  public synchronized byte[] bytes() {
    return bytes.toByteArray();
  }

  /** Fails unless exactly that many bytes of the expected pattern came. */
  public synchronized void requireExactly(long expectedBytes) {
    check.requireExactly(expectedBytes);
  }

  /** Has that run on the shard and waits for it. */
  public void tell(Consumer<Connection> action) {
    ask(
        connection -> {
          action.accept(connection);
          return null;
        });
  }

  /** What that answers on the shard. */
  public <T> T ask(Function<Connection, T> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    connection()
        .ref()
        .execute(
            asked -> {
              try {
                answer.complete(question.apply(asked));
              } catch (Throwable t) {
                answer.completeExceptionally(t);
              }
            });
    try {
      return answer.get(DEADLINE.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError("failed on the shard: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new AssertionError("the shard did not answer within " + DEADLINE, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  @Override
  public synchronized String toString() {
    return "handler of "
        + connection
        + " ("
        + receivedBytes
        + " bytes in "
        + segments
        + " segments, reason "
        + reason
        + ")";
  }
}
