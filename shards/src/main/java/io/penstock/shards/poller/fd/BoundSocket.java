package io.penstock.shards.poller.fd;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.SocketOption;
import io.penstock.shards.core.SocketOptions;
import io.penstock.shards.os.Libc;
import io.penstock.shards.poller.BindFailures;
import io.penstock.shards.poller.ListenRequest;
import io.penstock.shards.poller.UnixSocketFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bound and listening descriptor with all that belongs to it.
 *
 * @param file the Unix socket's file, or null
 */
public record BoundSocket(
    FdSocket socket, Endpoint local, SocketOptions acceptedOptions, UnixSocketFile file) {
  private static final Logger LOG = LoggerFactory.getLogger(BoundSocket.class);

  /** Makes, binds and listens; leaves nothing behind when it fails. */
  static BoundSocket listen(ListenRequest request) throws IOException {
    Endpoint endpoint = request.endpoint();
    FdSocket socket = FdSocket.create(endpoint);
    UnixSocketFile file = null;
    try {
      FdOptions.requireAcceptedFit(endpoint, request.acceptedOptions());
      prepare(socket, request);
      if (endpoint instanceof Endpoint.UnixPath path) {
        file = bindPath(socket, path, request);
      } else {
        socket.bindTo(endpoint);
      }
      socket.listen(request.backlog());
      Endpoint local = endpoint.isUnix() ? endpoint : socket.localEndpoint();
      return new BoundSocket(socket, local, request.acceptedOptions(), file);
    } catch (IOException | RuntimeException e) {
      close(socket, file);
      throw e;
    }
  }

  /** Not by Netty, whose bind deletes whatever is at the path, and never with a wider mode. */
  private static UnixSocketFile bindPath(
      FdSocket socket, Endpoint.UnixPath endpoint, ListenRequest request) throws IOException {
    Path path = UnixSocketFile.pathOf(endpoint);
    if (request.replaceStaleFile()) {
      UnixSocketFile.deleteStale(path);
    }
    Libc.fchmod(socket.intValue(), request.unixMode());
    try {
      Libc.bindUnix(socket.intValue(), endpoint.path().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw BindFailures.of(endpoint, e);
    }
    return UnixSocketFile.bound(path, request.unixMode());
  }

  /** Takes over a descriptor that listens already; one that does not stays the caller's. */
  static BoundSocket adopt(int descriptor, SocketOptions accepted) throws IOException {
    FdSocket socket = FdSocket.ofListening(descriptor);
    Endpoint local = socket.localEndpoint();
    FdOptions.requireAcceptedFit(local, accepted);
    Libc.setNonBlocking(descriptor);
    return new BoundSocket(socket, local, accepted, null);
  }

  private static void prepare(FdSocket socket, ListenRequest request) throws IOException {
    boolean ipv6 = FdSocket.isIpv6(request.endpoint());
    if (!socket.isUnix()) {
      if (request.options().value(SocketOption.SO_REUSEADDR, -1) < 0) {
        socket.setReuseAddress(true);
      }
      if (ipv6) {
        FdOptions.setV6OnlyByDefault(socket, request.options());
      }
    }
    FdOptions.apply(socket, ipv6, request.options());
  }

  static void close(FdSocket socket, UnixSocketFile file) {
    if (file != null) {
      file.deleteIfOurs();
    }
    try {
      socket.close();
    } catch (IOException e) {
      LOG.warn("closing {} failed", socket, e);
    }
  }
}
