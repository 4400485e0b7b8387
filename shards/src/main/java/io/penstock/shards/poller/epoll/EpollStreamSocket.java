package io.penstock.shards.poller.epoll;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.poller.IoResult;
import io.penstock.shards.poller.SocketEvents;
import io.penstock.shards.poller.fd.FdContext;
import io.penstock.shards.poller.fd.FdSocket;
import io.penstock.shards.poller.fd.FdStreamSocket;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A stream socket watched by epoll. */
@OnShard
final class EpollStreamSocket extends FdStreamSocket implements EpollIoHandle {
  private static final Logger LOG = LoggerFactory.getLogger(EpollStreamSocket.class);

  private static final EpollIoOps READ =
      EpollIoOps.EPOLLIN.with(EpollIoOps.EPOLLRDHUP).with(EpollIoOps.EPOLLET);
  private static final EpollIoOps READ_AND_WRITE = READ.with(EpollIoOps.EPOLLOUT);

  private final EpollPoller poller;
  private IoRegistration registration;
  private boolean writableArmed;

  EpollStreamSocket(
      EpollPoller poller,
      FdContext context,
      FdSocket socket,
      SocketEvents events,
      Endpoint remote,
      boolean connecting) {
    super(context, socket, events, remote, connecting);
    this.poller = poller;
    this.writableArmed = connecting;
  }

  void watch() throws IOException {
    registration = poller.register(this);
    arm();
  }

  @Override
  protected void armWritable(boolean armed) {
    if (writableArmed != armed) {
      writableArmed = armed;
      arm();
    }
  }

  private void arm() {
    context.called(1);
    registration.submit(writableArmed ? READ_AND_WRITE : READ);
  }

  @Override
  protected void release() {
    context.called(1);
    try {
      // Closing takes it out of the epoll set; cancelling after it costs no further call.
      socket.close();
    } catch (IOException e) {
      LOG.warn("closing {} failed", socket, e);
    }
    registration.cancel();
    events.onReleased();
  }

  @Override
  public void handle(IoRegistration ignored, IoEvent event) {
    try {
      onReady(((EpollIoEvent) event).ops().value());
    } catch (Throwable t) {
      // Netty would sleep on the shard and drop the rest of what is ready.
      LOG.error("an event of {} was not handled", socket, t);
      events.onBroken(IoResult.EIO);
    }
  }

  @Override
  public FileDescriptor fd() {
    return socket;
  }

  /** Called by Netty for handles that are left when the poller ends. */
  @Override
  public void close() {
    close(true);
  }
}
