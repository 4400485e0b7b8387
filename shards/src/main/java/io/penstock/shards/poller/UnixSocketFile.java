package io.penstock.shards.poller;

import io.penstock.shards.core.AnyThread;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.os.FileIdentity;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of a bound Unix socket. It is deleted with the socket, but only while it is still the
 * one that was bound: somebody may have put their own in its place.
 */
@AnyThread
public final class UnixSocketFile {
  private static final Logger LOG = LoggerFactory.getLogger(UnixSocketFile.class);

  private final Path path;
  private final FileIdentity identity;

  private UnixSocketFile(Path path, FileIdentity identity) {
    this.path = path;
    this.identity = identity;
  }

  /** The file that was just bound. */
  public static UnixSocketFile bound(Endpoint.UnixPath endpoint) throws IOException {
    Path path = Path.of(endpoint.path());
    return new UnixSocketFile(path, FileIdentity.of(path));
  }

  /**
   * Deletes a socket's file that nobody listens on, such as a killed server leaves. Anything else
   * stays, and the bind that follows will say that the address is in use.
   */
  public static void deleteStale(Endpoint.UnixPath endpoint) throws IOException {
    Path path = Path.of(endpoint.path());
    FileIdentity found;
    try {
      found = FileIdentity.of(path);
    } catch (NoSuchFileException e) {
      return;
    }
    if (found.isSocket() && isAbandoned(path)) {
      Files.deleteIfExists(path);
    }
  }

  /** Nobody listens when a connect is refused; any other answer, a full backlog too, is a life. */
  private static boolean isAbandoned(Path path) throws IOException {
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.configureBlocking(false);
      probe.connect(UnixDomainSocketAddress.of(path));
      return false;
    } catch (ConnectException e) {
      return true;
    } catch (IOException e) {
      LOG.debug("{} seems to have a listener", path, e);
      return false;
    }
  }

  /** Deletes it if it is still the file that was bound. */
  public void deleteIfOurs() {
    try {
      if (FileIdentity.of(path).isSameFile(identity)) {
        Files.deleteIfExists(path);
      }
    } catch (NoSuchFileException e) {
      LOG.debug("{} was deleted by somebody else", path);
    } catch (IOException e) {
      LOG.warn("the socket's file {} could not be deleted", path, e);
    }
  }
}
