package io.penstock.shards.poller.nio;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.SocketOption;
import io.penstock.shards.core.SocketOptions;
import io.penstock.shards.poller.BindFailures;
import io.penstock.shards.poller.ListenRequest;
import io.penstock.shards.poller.UnixSocketFile;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.SocketAddress;
import java.nio.channels.Channel;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bound and listening channel with all that belongs to it.
 *
 * @param file the Unix socket's file, or null
 */
record NioBound(
    ServerSocketChannel channel,
    Endpoint local,
    SocketOptions acceptedOptions,
    UnixSocketFile file) {
  private static final Logger LOG = LoggerFactory.getLogger(NioBound.class);

  /** Makes, binds and listens; leaves nothing behind when it fails. */
  static NioBound listen(ListenRequest request) throws IOException {
    Endpoint endpoint = request.endpoint();
    SocketAddress address = NioAddresses.address(endpoint);
    requireBindable(request);
    ServerSocketChannel channel = ServerSocketChannel.open(NioAddresses.family(endpoint));
    UnixSocketFile file = null;
    try {
      channel.configureBlocking(false);
      NioOptions.applyToListener(channel, endpoint, request.options());
      NioOptions.requireAcceptedFit(endpoint, request.acceptedOptions());
      if (endpoint instanceof Endpoint.UnixPath unix) {
        Path path = UnixSocketFile.pathOf(unix);
        if (request.replaceStaleFile()) {
          UnixSocketFile.deleteStale(path);
        }
        bind(channel, address, request);
        // The JDK cannot set the mode before it binds: until here the umask decides.
        file = UnixSocketFile.bound(path, request.unixMode());
      } else {
        bind(channel, address, request);
      }
      Endpoint local =
          endpoint.isUnix() ? endpoint : NioAddresses.endpoint(channel.getLocalAddress());
      return new NioBound(channel, local, request.acceptedOptions(), file);
    } catch (IOException | RuntimeException e) {
      close(channel, file);
      throw e;
    }
  }

  private static void bind(
      ServerSocketChannel channel, SocketAddress address, ListenRequest request)
      throws IOException {
    try {
      channel.bind(address, request.backlog());
    } catch (IOException e) {
      throw BindFailures.of(request.endpoint(), e);
    }
  }

  /** The JDK hands out no other descriptor than the one that the process was started with. */
  static NioBound inherited(int descriptor, SocketOptions accepted) throws IOException {
    Channel inherited = descriptor == 0 ? System.inheritedChannel() : null;
    if (!(inherited instanceof ServerSocketChannel channel)) {
      throw new IOException(
          "the nio backend adopts only a listening socket that the process inherited as descriptor"
              + " 0, not descriptor "
              + descriptor);
    }
    channel.configureBlocking(false);
    return new NioBound(channel, NioAddresses.endpoint(channel.getLocalAddress()), accepted, null);
  }

  private static void requireBindable(ListenRequest request) throws IOException {
    boolean takesBoth =
        request.endpoint() instanceof Endpoint.Tcp tcp
            && tcp.address().getAddress() instanceof Inet6Address v6
            && v6.isAnyLocalAddress();
    if (takesBoth && request.options().value(SocketOption.IPV6_V6ONLY, 1) != 0) {
      throw new IOException(
          "the nio backend cannot bind "
              + request.endpoint()
              + " without IPv4 as well; set IPV6_V6ONLY to 0 if that is meant");
    }
  }

  void close() {
    close(channel, file);
  }

  private static void close(ServerSocketChannel channel, UnixSocketFile file) {
    if (file != null) {
      file.deleteIfOurs();
    }
    try {
      channel.close();
    } catch (IOException e) {
      LOG.warn("closing {} failed", channel, e);
    }
  }
}
