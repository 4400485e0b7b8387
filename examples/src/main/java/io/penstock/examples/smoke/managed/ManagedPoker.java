package io.penstock.examples.smoke.managed;

import java.nio.ByteBuffer;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Sends replies from a thread of its own, each in a copy of its bytes. */
final class ManagedPoker implements AutoCloseable {
  private static final long REFUSED_WAIT_NANOS = 20_000;

  private record Poke(ManagedConnection connection, ByteBuffer bytes) {}

  /** Has no connection. */
  private static final Poke END = new Poke(null, null);

  private final LinkedBlockingQueue<Poke> pokes = new LinkedBlockingQueue<>();
  private final Thread thread = new Thread(this::run, "penstock-smoke-poke");

  void start() {
    thread.start();
  }

  void add(ManagedConnection connection, ByteBuffer received) {
    ByteBuffer copy = ByteBuffer.allocate(received.remaining()).put(received).flip();
    pokes.add(new Poke(connection, copy));
  }

  private void run() {
    try {
      for (Poke poke = pokes.take(); poke.connection() != null; poke = pokes.take()) {
        while (!poke.connection().sendOutOfBand(poke.bytes())) {
          LockSupport.parkNanos(REFUSED_WAIT_NANOS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    pokes.add(END);
    try {
      thread.join(TimeUnit.SECONDS.toMillis(5));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
