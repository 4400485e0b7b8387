package io.penstock.shards.poller.epoll;

import io.netty.channel.IoHandler;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
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
import java.util.ArrayDeque;

/** Watches descriptors by epoll(7), edge-triggered: one registration for a socket's whole life. */
@OnShard
public final class EpollPoller implements Poller, FdSockets.Watcher {
  private final ShardExecutor executor = new ShardExecutor();
  private final IoHandler handler = EpollIoHandler.newFactory().newHandler(executor);
  private final HandlerWait handlerWait = new HandlerWait();
  private final FdContext context = new FdContext();
  private final FdSockets sockets = new FdSockets(this, context);
  // Listeners with more to accept than one turn takes.
  private final ArrayDeque<EpollListenSocket> continued = new ArrayDeque<>();

  @Override
  public Backend backend() {
    return Backend.EPOLL;
  }

  @Override
  public void start() {
    executor.confineToCurrentThread();
    handler.initialize();
  }

  @Override
  public int poll(PollWait wait) {
    context.called(1);
    if (continued.isEmpty()) {
      return handler.run(handlerWait.of(wait));
    }
    int events = handler.run(handlerWait.of(PollWait.NONE));
    for (int i = continued.size(); i > 0; i--) {
      continued.pollFirst().proceed();
      events++;
    }
    return events;
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
    EpollStreamSocket watched =
        new EpollStreamSocket(this, context, socket, events, remote, connecting);
    watched.watch();
    return watched;
  }

  @Override
  public ListenSocket watch(BoundSocket bound, AcceptEvents events) throws IOException {
    EpollListenSocket watched = new EpollListenSocket(this, context, bound, events);
    watched.watch();
    return watched;
  }

  @Override
  public MemoryAddress memoryAddresses() {
    return NativeMemory.INSTANCE;
  }

  @Override
  public long systemCalls() {
    return context.systemCalls();
  }

  @Override
  public void close() {
    handler.prepareToDestroy();
    handler.destroy();
  }

  IoRegistration register(EpollIoHandle handle) throws IOException {
    try {
      return handler.register(handle);
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException("epoll did not take " + handle, e);
    }
  }

  void proceedLater(EpollListenSocket listener) {
    continued.add(listener);
  }
}
