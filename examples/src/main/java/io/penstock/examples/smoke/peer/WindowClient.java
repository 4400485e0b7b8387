package io.penstock.examples.smoke.peer;

import io.penstock.examples.smoke.count.Count;
import io.penstock.examples.smoke.count.Role;
import io.penstock.examples.smoke.wire.Peer;
import io.penstock.examples.smoke.wire.Wire;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Keeps a window of messages on their way, and ends when it has sent its quota and all is back. */
public final class WindowClient implements Peer {
  private static final VarHandle RETURNED_BYTES = returnedBytesHandle();

  private final Traffic traffic;
  private final Pattern.View pattern;
  private final SendWindow window;
  private final Runnable whenClosed;
  private final boolean timed;
  // Written opaque by whoever runs the callbacks, read by the thread that reports.
  private long returnedBytes;
  private long sentAtNanos;
  private boolean filled;
  private boolean done;

  /**
   * A client that has not begun.
   *
   * @param whenClosed run when it is over, on the thread that runs the callbacks
   */
  public WindowClient(Traffic traffic, Runnable whenClosed) {
    this.traffic = traffic;
    this.pattern = traffic.pattern().view();
    this.window =
        new SendWindow(traffic.messageBytes(), traffic.windowMessages(), traffic.limitBytes());
    this.whenClosed = whenClosed;
    // With more than one message on its way there is no telling which one came back when.
    this.timed = traffic.windowMessages() == 1;
  }

  /** Bytes that came back to this client. Any thread. */
  public long returnedBytes() {
    return (long) RETURNED_BYTES.getOpaque(this);
  }

  @Override
  public void onOpened(Wire wire) {
    sentAtNanos = timed ? System.nanoTime() : 0;
    fill(wire);
  }

  @Override
  public void onReceived(Wire wire, int lengthBytes) {
    window.returned(lengthBytes);
    RETURNED_BYTES.setOpaque(this, returnedBytes + lengthBytes);
    if (timed && window.isIdle()) {
      long nowNanos = System.nanoTime();
      wire.tally().times().record(nowNanos - sentAtNanos);
      sentAtNanos = nowNanos;
    }
    if (window.isDone()) {
      done = true;
      if (traffic.resetAtEnd()) {
        wire.reset();
      } else {
        wire.close();
      }
      return;
    }
    fill(wire);
  }

  @Override
  public void onPeerFinished(Wire wire) {
    wire.close();
  }

  @Override
  public void onWritable(Wire wire) {
    if (filled) {
      filled = false;
      Role.CLIENT.freed(wire.tally());
    }
    fill(wire);
  }

  @Override
  public void onClosed(Wire wire) {
    if (filled) {
      filled = false;
      Role.CLIENT.freed(wire.tally());
    }
    if (!done) {
      wire.tally().increment(Count.CLIENTS_CUT_OFF);
    }
    whenClosed.run();
  }

  private void fill(Wire wire) {
    if (filled) {
      return;
    }
    for (long unsent = window.admit(); unsent > 0; unsent = window.admit()) {
      int piece = (int) Math.min(unsent, Pattern.PIECE_BYTES);
      if (!wire.trySend(pattern.at(window.sentTotal(), piece))) {
        filled = true;
        Role.CLIENT.filled(wire.tally());
        return;
      }
      window.sent(piece);
    }
  }

  private static VarHandle returnedBytesHandle() {
    try {
      return MethodHandles.lookup().findVarHandle(WindowClient.class, "returnedBytes", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
