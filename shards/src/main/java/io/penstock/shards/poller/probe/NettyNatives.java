package io.penstock.shards.poller.probe;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.uring.IoUring;
import io.penstock.shards.core.Backend;

/**
 * The only class of the probe that links against Netty; its callers expect a {@link LinkageError}.
 */
final class NettyNatives {
  private NettyNatives() {}

  /** Null if Netty could load the native library of this backend and use it. */
  static Throwable unavailabilityCause(Backend backend) {
    return switch (backend) {
      case IO_URING -> IoUring.unavailabilityCause();
      case EPOLL -> Epoll.unavailabilityCause();
      case NIO -> null;
    };
  }
}
