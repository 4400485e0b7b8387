package io.penstock.shards.testing;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The other end of a connection, as a blocking channel of the JDK. One thread; a call that hangs is
 * ended by the test's timeout.
 */
public final class RawPeer implements AutoCloseable {
  private static final int CHUNK_BYTES = 1 << 16;

  private final SocketChannel channel;

  public RawPeer(SocketChannel channel) {
    this.channel = channel;
  }

  /** Connects and waits for it. */
  public static RawPeer connect(SocketAddress address) throws IOException {
    return new RawPeer(
        address instanceof UnixDomainSocketAddress
            ? connected(SocketChannel.open(StandardProtocolFamily.UNIX), address)
            : connected(SocketChannel.open(), address));
  }

  private static SocketChannel connected(SocketChannel channel, SocketAddress address)
      throws IOException {
    try {
      channel.connect(address);
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  public SocketChannel channel() {
    return channel;
  }

  /** Sends all of it. */
  public void send(byte... bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
  }

  /** Sends that much of the pattern. */
  public void send(Pattern pattern, long fromPosition, long lengthBytes) throws IOException {
    for (long sent = 0; sent < lengthBytes; ) {
      int chunk = (int) Math.min(CHUNK_BYTES, lengthBytes - sent);
      send(pattern.bytes(fromPosition + sent, chunk));
      sent += chunk;
    }
  }

  /** Sends the pattern until the kernel takes no more for now; returns how much that was. */
  public long sendUntilFull(Pattern pattern, long mostBytes) throws IOException {
    channel.configureBlocking(false);
    try {
      long sent = 0;
      while (sent < mostBytes) {
        int chunk = (int) Math.min(CHUNK_BYTES, mostBytes - sent);
        int n = channel.write(ByteBuffer.wrap(pattern.bytes(sent, chunk)));
        if (n == 0) {
          break;
        }
        sent += n;
      }
      return sent;
    } finally {
      channel.configureBlocking(true);
    }
  }

  /** Receives exactly that many bytes. */
  public byte[] receive(int lengthBytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(lengthBytes);
    while (buffer.hasRemaining()) {
      if (channel.read(buffer) < 0) {
        throw new EOFException(buffer.position() + " bytes came instead of " + lengthBytes);
      }
    }
    return buffer.array();
  }

  /** Receives that much of what should be the pattern's start. */
  public void receive(Pattern.Check check, long lengthBytes) throws IOException {
    byte[] chunk = new byte[CHUNK_BYTES];
    for (long left = lengthBytes; left > 0; ) {
      ByteBuffer buffer = ByteBuffer.wrap(chunk, 0, (int) Math.min(CHUNK_BYTES, left));
      int n = channel.read(buffer);
      if (n < 0) {
        throw new EOFException(check.count() + " bytes came, " + left + " are missing");
      }
      check.accept(chunk, 0, n);
      left -= n;
    }
  }

  /** Receives until the end what should be the pattern; throws if a reset comes first. */
  public void receiveToEnd(Pattern.Check check) throws IOException {
    byte[] chunk = new byte[CHUNK_BYTES];
    for (int n = channel.read(ByteBuffer.wrap(chunk));
        n >= 0;
        n = channel.read(ByteBuffer.wrap(chunk))) {
      check.accept(chunk, 0, n);
    }
  }

  /** Receives until the end; how much that was. Throws if a reset comes first. */
  public long discardToEnd() throws IOException {
    ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
    long count = 0;
    for (int n = channel.read(chunk); n >= 0; n = channel.read(chunk.clear())) {
      count += n;
    }
    return count;
  }

  /** True if it ends by a reset, false by an end in order; what comes before is dropped. */
  public boolean endsByReset() throws IOException {
    try {
      discardToEnd();
      return false;
    } catch (IOException e) {
      String text = String.valueOf(e.getMessage());
      if (text.contains("reset") || text.contains("Broken pipe")) {
        return true;
      }
      throw e;
    }
  }

  /** Sends nothing more. */
  public void finish() throws IOException {
    channel.shutdownOutput();
  }

  /** Closes so that the other end is reset. On TCP only; a Unix socket just closes. */
  public void reset() throws IOException {
    if (!(channel.getLocalAddress() instanceof UnixDomainSocketAddress)) {
      channel.setOption(StandardSocketOptions.SO_LINGER, 0);
    }
    channel.close();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
