package io.penstock.shards.poller.epoll;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.poller.AcceptEvents;
import io.penstock.shards.poller.fd.BoundSocket;
import io.penstock.shards.poller.fd.FdContext;
import io.penstock.shards.poller.fd.FdListenSocket;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A listening socket watched by epoll. */
@OnShard
final class EpollListenSocket extends FdListenSocket implements EpollIoHandle {
  private static final Logger LOG = LoggerFactory.getLogger(EpollListenSocket.class);
  private static final EpollIoOps ACCEPT = EpollIoOps.EPOLLIN.with(EpollIoOps.EPOLLET);

  private final EpollPoller poller;
  private IoRegistration registration;
  private boolean queued;

  EpollListenSocket(EpollPoller poller, FdContext context, BoundSocket bound, AcceptEvents events) {
    super(context, bound, events);
    this.poller = poller;
  }

  void watch() throws IOException {
    registration = poller.register(this);
    registration.submit(ACCEPT);
  }

  @Override
  protected void unwatch() {
    registration.cancel();
  }

  @Override
  protected void continueLater() {
    if (!queued) {
      queued = true;
      poller.proceedLater(this);
    }
  }

  void proceed() {
    queued = false;
    handleReady();
  }

  @Override
  public void handle(IoRegistration ignored, IoEvent event) {
    handleReady();
  }

  private void handleReady() {
    try {
      onReady();
    } catch (Throwable t) {
      // Netty would sleep on the shard and drop the rest of what is ready.
      LOG.error("accepting on {} failed", local(), t);
    }
  }

  @Override
  public FileDescriptor fd() {
    return socket;
  }
}
