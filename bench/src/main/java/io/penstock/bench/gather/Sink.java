package io.penstock.bench.gather;

import io.penstock.shards.core.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads all that comes over one connection on a thread of its own, and checks each byte against a
 * pattern of a prime period.
 */
final class Sink implements AutoCloseable {
  /** A prime, so that no buffer size hides a shift. */
  static final int PERIOD = 251;

  private static final int READ_BYTES = 1 << 16;

  private final ServerSocketChannel listener;
  private final Path file;
  private final Thread thread = new Thread(this::run, "sink");
  // Volatile: told by the sink's thread, looked at by the benchmark's.
  private volatile String defect;

  private Sink(ServerSocketChannel listener, Path file) {
    this.listener = listener;
    this.file = file;
  }

  static Sink open(boolean unix) throws IOException {
    if (!unix) {
      ServerSocketChannel listener = ServerSocketChannel.open();
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      return start(new Sink(listener, null));
    }
    Path file = Files.createTempDirectory("penstock-sink").resolve("socket");
    ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listener.bind(UnixDomainSocketAddress.of(file));
    return start(new Sink(listener, file));
  }

  private static Sink start(Sink sink) {
    sink.thread.setDaemon(true);
    sink.thread.start();
    return sink;
  }

  static byte pattern(long position) {
    return (byte) (position % PERIOD);
  }

  Endpoint endpoint() throws IOException {
    return file == null
        ? new Endpoint.Tcp((InetSocketAddress) listener.getLocalAddress())
        : new Endpoint.UnixPath(file.toString());
  }

  /** Fails if a byte came that was not sent at its place. */
  void check() {
    if (defect != null) {
      throw new IllegalStateException(defect);
    }
  }

  private void run() {
    byte[] expected = new byte[READ_BYTES + PERIOD];
    for (int i = 0; i < expected.length; i++) {
      expected[i] = pattern(i);
    }
    ByteBuffer wanted = ByteBuffer.wrap(expected);
    ByteBuffer buffer = ByteBuffer.allocateDirect(READ_BYTES);
    long position = 0;
    try (SocketChannel peer = listener.accept()) {
      for (int n = peer.read(buffer); n >= 0; n = peer.read(buffer)) {
        int from = (int) (position % PERIOD);
        buffer.flip();
        int mismatch = buffer.mismatch(wanted.slice(from, n));
        if (mismatch >= 0) {
          defect = "a wrong byte at " + (position + mismatch);
        }
        position += n;
        buffer.clear();
      }
    } catch (IOException e) {
      if (listener.isOpen()) {
        defect = "the sink failed: " + e;
      }
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (file != null) {
      Files.deleteIfExists(file);
      Files.deleteIfExists(file.getParent());
    }
    check();
  }
}
