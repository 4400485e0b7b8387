package io.penstock.shards.testing;

import io.penstock.shards.core.Backend;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.SocketOptions;
import io.penstock.shards.memory.MemoryAddress;
import io.penstock.shards.poller.AcceptEvents;
import io.penstock.shards.poller.AcceptedSocket;
import io.penstock.shards.poller.ConnectRequest;
import io.penstock.shards.poller.DetachedListener;
import io.penstock.shards.poller.IoResult;
import io.penstock.shards.poller.ListenRequest;
import io.penstock.shards.poller.ListenSocket;
import io.penstock.shards.poller.PollWait;
import io.penstock.shards.poller.Poller;
import io.penstock.shards.poller.SocketEvents;
import io.penstock.shards.poller.StreamSocket;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A kernel that does what the test says and never blocks: each poll hands out the events that the
 * test queued, and a poll that may wait returns after it has said so.
 *
 * <p>One thread, the test's, but for {@link #wakeUp}.
 */
public final class FakePoller implements Poller {
  private final Deque<Runnable> events = new ArrayDeque<>();
  private final Deque<FakeStreamSocket> nextToConnect = new ArrayDeque<>();
  private final List<FakeListenSocket> listening = new ArrayList<>();
  // Atomic: rung by other threads.
  private final AtomicInteger wakeUps = new AtomicInteger();
  private Runnable whileArming = FakePoller::nothing;
  private Runnable whileWaiting = FakePoller::nothing;
  private IOException failure;
  private Exception connectFailure;
  private boolean reportsBroken = true;
  private int polls;
  private int waits;
  private long waitDeadlineNanos;
  private boolean started;
  private boolean closed;

  /** The next poll hands this out. */
  public void deliver(Runnable event) {
    events.add(event);
  }

  /** Runs once, between the next two questions whether the poll may wait, as backends ask them. */
  public void whileArming(Runnable action) {
    whileArming = action;
  }

  /** Runs once, when a poll next waits; what it delivers is handed out by that same poll. */
  public void whileWaiting(Runnable action) {
    whileWaiting = action;
  }

  /** Every poll from now on throws that. */
  public void failWith(IOException cause) {
    failure = cause;
  }

  /** Every connect from now on throws that, an IOException or a RuntimeException. */
  public void failConnectsWith(Exception cause) {
    connectFailure = cause;
  }

  /** The next connect that has none yet gets this socket. */
  public void connectWith(FakeStreamSocket socket) {
    nextToConnect.add(socket);
  }

  /** A backend, such as a selector, that does not tell of a reset while nothing is wanted. */
  public void reportsNothingWhileParked() {
    reportsBroken = false;
  }

  /** Polls so far. */
  public int polls() {
    return polls;
  }

  /** Polls that waited. */
  public int waits() {
    return waits;
  }

  /** When the last wait was to end. */
  public long waitDeadlineNanos() {
    return waitDeadlineNanos;
  }

  public int wakeUps() {
    return wakeUps.get();
  }

  public boolean isClosed() {
    return closed;
  }

  /** The sockets that listen, in the order in which they were made. */
  public List<FakeListenSocket> listening() {
    return listening;
  }

  @Override
  public Backend backend() {
    return Backend.NIO;
  }

  @Override
  public void start() {
    if (started) {
      throw new AssertionError("started twice");
    }
    started = true;
  }

  @Override
  public int poll(PollWait wait) throws IOException {
    polls++;
    if (failure != null) {
      throw failure;
    }
    if (events.isEmpty() && wait.mayWait()) {
      Runnable arming = whileArming;
      whileArming = FakePoller::nothing;
      arming.run();
      if (wait.mayWait()) {
        waits++;
        waitDeadlineNanos = wait.deadlineNanos();
        Runnable waiting = whileWaiting;
        whileWaiting = FakePoller::nothing;
        waiting.run();
      }
    }
    int handedOut = events.size();
    for (int i = 0; i < handedOut; i++) {
      events.removeFirst().run();
    }
    return handedOut;
  }

  @Override
  public void wakeUp() {
    wakeUps.incrementAndGet();
  }

  @Override
  public boolean reportsBrokenWhileParked() {
    return reportsBroken;
  }

  @Override
  public StreamSocket connect(ConnectRequest request, SocketEvents socketEvents)
      throws IOException {
    if (connectFailure instanceof IOException io) {
      throw io;
    }
    if (connectFailure instanceof RuntimeException runtime) {
      throw runtime;
    }
    FakeStreamSocket socket =
        nextToConnect.isEmpty()
            ? new FakeStreamSocket(this).connecting(IoResult.PENDING)
            : nextToConnect.removeFirst();
    return socket.attach(socketEvents, request.remote());
  }

  @Override
  public StreamSocket adopt(AcceptedSocket accepted, SocketEvents socketEvents) {
    return ((FakeListenSocket.Accepted) accepted).adopt(socketEvents);
  }

  @Override
  public ListenSocket listen(ListenRequest request, AcceptEvents acceptEvents) {
    return add(new FakeListenSocket(this, request.endpoint(), acceptEvents));
  }

  @Override
  public ListenSocket adopt(DetachedListener listener, AcceptEvents acceptEvents) {
    return add(((FakeListenSocket.Detached) listener).adopt(this, acceptEvents));
  }

  @Override
  public ListenSocket adoptDescriptor(
      int descriptor, SocketOptions accepted, AcceptEvents acceptEvents) {
    return add(new FakeListenSocket(this, Endpoint.loopback(descriptor), acceptEvents));
  }

  private static void nothing() {}

  private FakeListenSocket add(FakeListenSocket socket) {
    listening.add(socket);
    return socket;
  }

  @Override
  public MemoryAddress memoryAddresses() {
    return direct -> 0;
  }

  @Override
  public long systemCalls() {
    return polls;
  }

  @Override
  public void close() {
    closed = true;
  }
}
