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
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of a bound Unix socket. It is deleted with the socket, but only while it is still the
 * one that was bound: somebody may have put their own in its place.
 */
@AnyThread
public final class UnixSocketFile {
  private static final Logger LOG = LoggerFactory.getLogger(UnixSocketFile.class);

  private static final int PERMISSION_BITS = 0777;

  private final Path path;
  private final FileIdentity identity;

  private UnixSocketFile(Path path, FileIdentity identity) {
    this.path = path;
    this.identity = identity;
  }

  /**
   * The path as the JDK has it.
   *
   * @throws IOException if the JVM's encoding of file names has other bytes for it than the kernel
   *     is given for the socket
   */
  public static Path pathOf(Endpoint.UnixPath endpoint) throws IOException {
    String encoding = System.getProperty("sun.jnu.encoding", "UTF-8");
    boolean ascii = endpoint.path().chars().allMatch(c -> c < 0x80);
    if (!ascii && !encoding.equalsIgnoreCase("UTF-8")) {
      throw new IOException(
          "the path %s has other characters than ASCII, and this JVM encodes file names in %s"
              .formatted(endpoint, encoding));
    }
    return Path.of(endpoint.path());
  }

  /** The file that was just bound, once it has exactly these permission bits. */
  public static UnixSocketFile bound(Path path, int mode) throws IOException {
    UnixSocketFile file = new UnixSocketFile(path, FileIdentity.of(path));
    if ((file.identity.mode() & PERMISSION_BITS) != mode) {
      try {
        Files.setPosixFilePermissions(path, permissions(mode));
      } catch (IOException e) {
        file.deleteIfOurs();
        throw e;
      }
    }
    return file;
  }

  private static Set<PosixFilePermission> permissions(int mode) {
    Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
    PosixFilePermission[] fromOwnerRead = PosixFilePermission.values();
    for (int i = 0; i < fromOwnerRead.length; i++) {
      if ((mode & (0400 >> i)) != 0) {
        permissions.add(fromOwnerRead[i]);
      }
    }
    return permissions;
  }

  /**
   * Deletes a socket's file that nobody listens on, such as a killed server leaves. Anything else
   * stays, and the bind that follows will say that the address is in use.
   */
  public static void deleteStale(Path path) throws IOException {
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
