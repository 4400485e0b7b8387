package io.penstock.shards.poller.uring;

import io.netty.channel.IoHandler;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringIoHandlerConfig;
import io.penstock.shards.core.Backend;
import io.penstock.shards.core.Endpoint;
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
import io.penstock.shards.poller.fd.BoundSocket;
import io.penstock.shards.poller.fd.FdContext;
import io.penstock.shards.poller.fd.FdSocket;
import io.penstock.shards.poller.fd.FdSockets;
import io.penstock.shards.poller.fd.HandlerWait;
import io.penstock.shards.poller.fd.NativeMemory;
import io.penstock.shards.poller.fd.ShardExecutor;
import java.io.IOException;
import java.nio.channels.Pipe;
import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Owns one io_uring (io_uring(7)). */
@OnShard
public final class UringPoller implements Poller, FdSockets.Watcher {
  private static final Logger LOG = LoggerFactory.getLogger(UringPoller.class);

  /** Polls without a wait at the end, until the last completions are home. */
  private static final int LAST_POLLS = 100_000;

  /** Goes on in the next poll. */
  interface Continued {
    void proceed();

    /** Going on threw. */
    void onUnhandled(Throwable cause);
  }

  private final ShardExecutor executor = new ShardExecutor();
  private final IoHandler handler;
  private final HandlerWait handlerWait = new HandlerWait();
  private final FdContext context = new FdContext();
  private final FdSockets sockets = new FdSockets(this, context);
  // Those with more to do than one poll allowed, or waiting for memory.
  private final ArrayDeque<Continued> continued = new ArrayDeque<>();
  private ReceiveBuffers receiveBuffers;
  private boolean enabled;
  private int outstanding;

  /**
   * Opens a ring.
   *
   * @param entries submission entries; a power of two or rounded up to one by the kernel
   * @param completionEntries likewise; multishot operations bring completions that no submission
   *     bounds, and an overflow costs calls
   * @throws IOException if the process has no descriptors left for it; what else keeps a ring from
   *     being made is thrown as Netty does
   */
  public UringPoller(int entries, int completionEntries) throws IOException {
    requireTwoDescriptors();
    IoUringIoHandlerConfig config = new IoUringIoHandlerConfig();
    config.setRingSize(entries);
    config.setCqSize(completionEntries);
    handler = IoUringIoHandler.newFactory(config).newHandler(executor);
  }

  /**
   * A ring comes with a descriptor to wake it, and Netty leaves the ring open where that one cannot
   * be made.
   */
  private static void requireTwoDescriptors() throws IOException {
    Pipe pipe = Pipe.open();
    pipe.sink().close();
    pipe.source().close();
  }

  @Override
  public Backend backend() {
    return Backend.IO_URING;
  }

  @Override
  public void start() throws IOException {
    enable();
    receiveBuffers = new ReceiveBuffers(this);
    try {
      // Netty does not say whether the ring was enabled; the first submission tells.
      poll(PollWait.NONE);
    } catch (RuntimeException e) {
      IOException refused =
          new IOException(
              "the ring takes no submissions: the kernel refused to enable it"
                  + " (io_uring_register(2)): "
                  + e.getMessage());
      refused.addSuppressed(e);
      throw refused;
    }
  }

  private void enable() {
    enabled = true;
    executor.confineToCurrentThread();
    handler.initialize();
  }

  @Override
  public int poll(PollWait wait) {
    receiveBuffers.submitReturned();
    context.called(1);
    if (continued.isEmpty()) {
      return handler.run(handlerWait.of(wait));
    }
    int events = handler.run(handlerWait.of(PollWait.NONE));
    for (int i = continued.size(); i > 0; i--) {
      proceed(continued.pollFirst());
      events++;
    }
    return events;
  }

  private static void proceed(Continued socket) {
    try {
      socket.proceed();
    } catch (Throwable t) {
      LOG.error("{} could not go on", socket, t);
      socket.onUnhandled(t);
    }
  }

  @Override
  public void wakeUp() {
    handler.wakeup();
  }

  @Override
  public boolean reportsBrokenWhileParked() {
    return true;
  }

  @Override
  public StreamSocket connect(ConnectRequest request, SocketEvents events) throws IOException {
    return sockets.connect(request, events);
  }

  @Override
  public StreamSocket adopt(AcceptedSocket accepted, SocketEvents events) throws IOException {
    return sockets.adopt(accepted, events);
  }

  @Override
  public ListenSocket listen(ListenRequest request, AcceptEvents events) throws IOException {
    return sockets.listen(request, events);
  }

  @Override
  public ListenSocket adopt(DetachedListener listener, AcceptEvents events) throws IOException {
    return sockets.adopt(listener, events);
  }

  @Override
  public ListenSocket adoptDescriptor(int descriptor, SocketOptions accepted, AcceptEvents events)
      throws IOException {
    return sockets.adoptDescriptor(descriptor, accepted, events);
  }

  @Override
  public StreamSocket watch(
      FdSocket socket, SocketEvents events, Endpoint remote, boolean connecting)
      throws IOException {
    return new UringStreamSocket(this, context, socket, events, remote, connecting);
  }

  @Override
  public ListenSocket watch(BoundSocket bound, AcceptEvents events) throws IOException {
    return new UringListenSocket(this, context, bound, events);
  }

  @Override
  public MemoryAddress memoryAddresses() {
    return NativeMemory.INSTANCE;
  }

  @Override
  public long systemCalls() {
    return context.systemCalls();
  }

  /** Waits for all completions first: the kernel must not write into memory that is given back. */
  @Override
  public void close() {
    if (!enabled) {
      // Netty closes a ring by operations on it, and this one takes none yet.
      enable();
    }
    if (receiveBuffers != null) {
      receiveBuffers.close();
    }
    for (int polls = 0; outstanding > 0 && polls < LAST_POLLS; polls++) {
      handler.run(handlerWait.of(PollWait.NONE));
    }
    if (outstanding > 0) {
      LOG.error("the ring is closed with {} operations outstanding", outstanding);
    }
    handler.prepareToDestroy();
    handler.destroy();
  }

  IoRegistration register(RingHandle handle) throws IOException {
    try {
      return handler.register(handle);
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException("io_uring did not take a socket", e);
    }
  }

  ReceiveBuffers receiveBuffers() {
    return receiveBuffers;
  }

  void submitted() {
    outstanding++;
  }

  void completed() {
    outstanding--;
  }

  void proceedLater(Continued socket) {
    continued.add(socket);
  }
}
