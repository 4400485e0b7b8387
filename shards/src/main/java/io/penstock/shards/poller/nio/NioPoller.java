package io.penstock.shards.poller.nio;

import io.penstock.shards.core.Backend;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.core.SocketOptions;
import io.penstock.shards.memory.MemoryAddress;
import io.penstock.shards.poller.AcceptEvents;
import io.penstock.shards.poller.AcceptedSocket;
import io.penstock.shards.poller.ConnectRequest;
import io.penstock.shards.poller.DetachedListener;
import io.penstock.shards.poller.ListenRequest;
import io.penstock.shards.poller.ListenSocket;
import io.penstock.shards.poller.PollWait;
import io.penstock.shards.poller.Poller;
import io.penstock.shards.poller.SocketEvents;
import io.penstock.shards.poller.StreamSocket;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Watches channels by one selector. Level-triggered: interest follows demand. */
@OnShard
public final class NioPoller implements Poller {
  private static final Logger LOG = LoggerFactory.getLogger(NioPoller.class);
  private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final Selector selector;
  // Kept, so that a select allocates nothing.
  private final Consumer<SelectionKey> hand = NioPoller::hand;
  final NioContext context = new NioContext();
  // Of channels that are closed but still registered.
  private final ArrayDeque<SocketEvents> closed = new ArrayDeque<>();
  // Made when first needed: watches one channel at a time for its break.
  private Selector breaks;

  public NioPoller() throws IOException {
    selector = Selector.open();
  }

  @Override
  public Backend backend() {
    return Backend.NIO;
  }

  @Override
  public void start() {
    // A selector needs no binding to its thread.
  }

  @Override
  public int poll(PollWait wait) throws IOException {
    context.called();
    if (!closed.isEmpty()) {
      return release(closed.size());
    }
    if (!wait.mayWait()) {
      return selector.selectNow(hand);
    }
    long deadlineNanos = wait.deadlineNanos();
    if (deadlineNanos == Long.MAX_VALUE) {
      return selector.select(hand, 0);
    }
    long leftNanos = deadlineNanos - System.nanoTime();
    if (leftNanos <= 0) {
      return selector.selectNow(hand);
    }
    // Rounded up: a wait that ends before its deadline would be repeated without any sleep.
    long timeoutMillis = leftNanos / NANOS_PER_MILLI + 1;
    return selector.select(hand, timeoutMillis);
  }

  /** A select closes the channels that were closed before it: only now the kernel lets go. */
  private int release(int count) throws IOException {
    int ready = selector.selectNow(hand);
    for (int i = 0; i < count; i++) {
      closed.removeFirst().onReleased();
    }
    return ready + count;
  }

  /** Tells the socket's events once its channel, which was closed, is closed in the kernel, too. */
  void releaseLater(SocketEvents events) {
    closed.addLast(events);
  }

  private static void hand(SelectionKey key) {
    NioHandle handle = (NioHandle) key.attachment();
    try {
      handle.onReady(key.readyOps());
    } catch (CancelledKeyException e) {
      LOG.debug("{} was closed by an event before its own", handle);
    } catch (Throwable t) {
      LOG.error("an event of {} was not handled", handle, t);
      handle.onUnhandled();
    }
  }

  @Override
  public void wakeUp() {
    selector.wakeup();
  }

  @Override
  public boolean reportsBrokenWhileParked() {
    return false;
  }

  @Override
  public StreamSocket connect(ConnectRequest request, SocketEvents events) throws IOException {
    return NioStreamSocket.connect(this, request, events);
  }

  @Override
  public StreamSocket adopt(AcceptedSocket accepted, SocketEvents events) throws IOException {
    return NioStreamSocket.adopt(this, (NioAcceptedSocket) accepted, events);
  }

  @Override
  public ListenSocket listen(ListenRequest request, AcceptEvents events) throws IOException {
    return NioListenSocket.watch(this, NioBound.listen(request), events);
  }

  @Override
  public ListenSocket adopt(DetachedListener listener, AcceptEvents events) throws IOException {
    return NioListenSocket.watch(this, ((NioDetachedListener) listener).bound(), events);
  }

  @Override
  public ListenSocket adoptDescriptor(int descriptor, SocketOptions accepted, AcceptEvents events)
      throws IOException {
    return NioListenSocket.watch(this, NioBound.inherited(descriptor, accepted), events);
  }

  @Override
  public MemoryAddress memoryAddresses() {
    return direct -> 0;
  }

  @Override
  public long systemCalls() {
    return context.systemCalls();
  }

  /**
   * True for a connected channel that the peer has reset. After the peer's end a receive says no
   * more than that, but a selector shows an error as whatever it was asked for; and a connected
   * channel is never ready to connect otherwise.
   */
  boolean isBroken(SocketChannel channel) throws IOException {
    if (breaks == null) {
      breaks = Selector.open();
    }
    context.called();
    SelectionKey key = channel.register(breaks, SelectionKey.OP_CONNECT);
    breaks.selectNow();
    boolean broken = breaks.selectedKeys().remove(key);
    key.cancel();
    breaks.selectNow();
    return broken;
  }

  @Override
  public void close() {
    try {
      selector.close();
      if (breaks != null) {
        breaks.close();
      }
    } catch (IOException e) {
      LOG.warn("closing the selector failed", e);
    }
    closed.forEach(SocketEvents::onReleased);
    closed.clear();
  }

  /** Takes cancelled keys out of the selector; what is ready stays ready for the next select. */
  void dropCancelledKeys() throws IOException {
    context.called();
    selector.selectNow(ready -> {});
  }

  Selector selector() {
    return selector;
  }
}
