package io.penstock.examples.smoke.managed;

import io.penstock.examples.smoke.count.Role;
import io.penstock.examples.smoke.count.Tally;
import io.penstock.examples.smoke.wire.OutOfBand;
import io.penstock.examples.smoke.wire.Peer;
import io.penstock.examples.smoke.wire.Remote;
import io.penstock.examples.smoke.wire.Wire;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection of the control. The selector thread says that it is ready, one worker at a time
 * looks after it; what fails ends it.
 */
final class ManagedConnection implements Wire, Remote {
  private static final Logger LOG = LoggerFactory.getLogger(ManagedConnection.class);

  private static final int RECEIVE_BYTES = 1 << 16;

  /** Receives in a row before other connections get their turn. */
  private static final int RECEIVES_A_VISIT = 16;

  /** How the connection is to end. */
  private enum Ending {
    NONE,
    CLOSE,
    RESET
  }

  private final ManagedLeg leg;
  private final SocketChannel channel;
  private final boolean unix;
  private final Role role;
  private final CompletableFuture<Remote> connected;
  // Held by the worker that looks after it and by whoever sends out of band.
  private final ReentrantLock lock = new ReentrantLock();
  // True while it waits in the queue for a worker, so that it waits there once.
  private final AtomicBoolean queued = new AtomicBoolean();
  // Volatile: asked for by the thread that connected it, seen by the next worker.
  private volatile Ending asked = Ending.NONE;
  private final ByteBuffer incoming = ByteBuffer.allocateDirect(RECEIVE_BYTES);
  private final Outgoing outgoing = new Outgoing();
  private final Peer peer;
  // Volatile: set by the thread that registers, before the selector knows of it.
  private volatile SelectionKey key;
  private Tally tally;
  private boolean opened;
  private boolean paused;
  private boolean ended;

  ManagedConnection(
      ManagedLeg leg,
      SocketChannel channel,
      boolean unix,
      Role role,
      Peer peer,
      CompletableFuture<Remote> connected) {
    this.leg = leg;
    this.channel = channel;
    this.unix = unix;
    this.role = role;
    this.peer = peer;
    this.connected = connected;
  }

  SocketChannel channel() {
    return channel;
  }

  void setKey(SelectionKey newKey) {
    key = newKey;
  }

  /** Has a worker look after it. Any thread. */
  void schedule() {
    if (queued.compareAndSet(false, true)) {
      leg.queue().add(this);
    }
  }

  /** One visit of a worker, which counts on that tally. */
  void visit(Tally workersTally) {
    lock.lock();
    try {
      queued.set(false);
      tally = workersTally;
      if (!ended) {
        visitOpen();
      }
    } catch (IOException | CancelledKeyException e) {
      fail(e);
    } catch (RuntimeException e) {
      LOG.error("the peer of {} failed", channel, e);
      fail(e);
    } finally {
      lock.unlock();
    }
  }

  private void visitOpen() throws IOException {
    if (!opened) {
      if (!finishConnect()) {
        arm(SelectionKey.OP_CONNECT);
        return;
      }
      opened = true;
      role.opened(tally);
      connected.complete(this);
      peer.onOpened(this);
    }
    flush();
    if (asked == Ending.NONE) {
      receive();
      flush();
    } else {
      discard();
    }
    if (asked == Ending.RESET || (asked == Ending.CLOSE && outgoing.isEmpty())) {
      end(asked == Ending.RESET);
      return;
    }
    rearm();
  }

  private boolean finishConnect() throws IOException {
    if (channel.isConnected()) {
      return true;
    }
    leg.called();
    return channel.finishConnect();
  }

  private void receive() throws IOException {
    for (int i = 0; i < RECEIVES_A_VISIT && !paused && asked == Ending.NONE; i++) {
      incoming.clear();
      leg.called();
      int n = channel.read(incoming);
      if (n < 0) {
        peer.onPeerFinished(this);
        paused = true;
        return;
      }
      if (n == 0) {
        return;
      }
      boolean emptied = incoming.hasRemaining();
      incoming.flip();
      role.received(tally, n);
      peer.onReceived(this, n);
      if (emptied) {
        return;
      }
    }
  }

  /** A peer that cannot send might not read either, and what is queued here would never leave. */
  private void discard() throws IOException {
    int n = RECEIVE_BYTES;
    for (int i = 0; i < RECEIVES_A_VISIT && n == RECEIVE_BYTES; i++) {
      incoming.clear();
      leg.called();
      n = channel.read(incoming);
    }
    paused = n < 0;
  }

  private void flush() throws IOException {
    while (!outgoing.isEmpty()) {
      leg.called();
      if (!outgoing.write(channel)) {
        relieve();
        return;
      }
      relieve();
    }
  }

  private void relieve() {
    if (outgoing.takeRelief()) {
      peer.onWritable(this);
    }
  }

  private void rearm() {
    int wanted = paused ? 0 : SelectionKey.OP_READ;
    if (!outgoing.isEmpty()) {
      wanted |= SelectionKey.OP_WRITE;
    }
    arm(wanted);
  }

  private void arm(int operations) {
    key.interestOps(operations);
    leg.wakeSelector();
  }

  private void fail(Exception cause) {
    if (!opened) {
      ended = true;
      closeChannel(true);
      leg.gone(this);
      connected.completeExceptionally(cause);
      return;
    }
    LOG.debug("{} ended by a failure", channel, cause);
    end(true);
  }

  private void end(boolean reset) {
    if (ended) {
      return;
    }
    ended = true;
    closeChannel(reset);
    leg.gone(this);
    peer.onClosed(this);
    role.closed(tally);
  }

  private void closeChannel(boolean reset) {
    try {
      if (reset) {
        ManagedSockets.reset(channel, unix);
      } else {
        channel.close();
      }
    } catch (IOException e) {
      LOG.warn("closing {} failed", channel, e);
    }
    // The descriptor stays open until the selector lets go of it.
    leg.wakeSelector();
  }

  @Override
  public Tally tally() {
    return tally;
  }

  @Override
  public ByteBuffer received() {
    return incoming.duplicate();
  }

  @Override
  public void echo() {
    try {
      if (outgoing.isEmpty()) {
        leg.called();
        channel.write(incoming);
      }
      if (incoming.hasRemaining()) {
        outgoing.add(incoming);
      }
    } catch (IOException e) {
      // The reader above meets the same failure, and ends the connection.
      LOG.debug("{} took no reply", channel, e);
    }
  }

  @Override
  public void echoOutOfBand() {
    leg.poker().add(this, incoming);
  }

  @Override
  public boolean trySend(ByteBuffer bytes) {
    if (!isWritable()) {
      return false;
    }
    outgoing.add(bytes);
    return true;
  }

  @Override
  public boolean isWritable() {
    return !outgoing.isFull() && asked == Ending.NONE && !ended;
  }

  @Override
  public void pause() {
    paused = true;
  }

  @Override
  public void resume() {
    paused = false;
  }

  /** From the thread that connected it, or from a callback of its peer. */
  @Override
  public void close() {
    ask(Ending.CLOSE);
  }

  @Override
  public void reset() {
    ask(Ending.RESET);
  }

  private void ask(Ending ending) {
    asked = ending;
    if (!lock.isHeldByCurrentThread()) {
      schedule();
    }
  }

  @Override
  public OutOfBand outOfBand() {
    return this::sendOutOfBand;
  }

  /** Writes at once what the socket takes, in the thread that calls. */
  boolean sendOutOfBand(ByteBuffer bytes) {
    lock.lock();
    try {
      if (ended || asked != Ending.NONE) {
        // There is nobody to send to any more.
        return true;
      }
      if (outgoing.isFull()) {
        return false;
      }
      boolean flushing = !outgoing.isEmpty();
      outgoing.add(bytes.duplicate());
      if (!flushing) {
        leg.called();
        if (!outgoing.write(channel)) {
          rearm();
        }
      }
      return true;
    } catch (IOException | CancelledKeyException e) {
      LOG.debug("{} took nothing out of band", channel, e);
      // Told to a worker as any failure is.
      schedule();
      return true;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String toString() {
    return channel.toString();
  }
}
