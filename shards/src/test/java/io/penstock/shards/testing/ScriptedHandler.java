package io.penstock.shards.testing;

import io.penstock.shards.memory.Segment;
import io.penstock.shards.net.CloseReason;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ConnectionHandler;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Writes down what a connection tells it, for a test to look at; what it does besides, the test
 * says. It releases what it receives unless told otherwise, and does not close when the peer
 * finishes.
 *
 * <p>For one connection and one thread.
 */
public final class ScriptedHandler implements ConnectionHandler {
  private final List<String> calls = new ArrayList<>();
  private final ByteArrayOutputStream received = new ByteArrayOutputStream();
  private Consumer<Connection> onOpened = Connection::demandUnbounded;
  private BiConsumer<Connection, Segment> onReceived = (connection, segment) -> segment.release();
  private Consumer<Connection> onPeerFinished = connection -> {};
  private Consumer<Connection> onWritable = connection -> {};
  private Consumer<Connection> onClosed = connection -> {};
  private Connection connection;
  private CloseReason reason;

  /** Instead of asking for all that comes. */
  public ScriptedHandler opened(Consumer<Connection> action) {
    onOpened = action;
    return this;
  }

  /** Instead of releasing it. */
  public ScriptedHandler received(BiConsumer<Connection, Segment> action) {
    onReceived = action;
    return this;
  }

  public ScriptedHandler peerFinished(Consumer<Connection> action) {
    onPeerFinished = action;
    return this;
  }

  public ScriptedHandler writable(Consumer<Connection> action) {
    onWritable = action;
    return this;
  }

  public ScriptedHandler closed(Consumer<Connection> action) {
    onClosed = action;
    return this;
  }

  /** The names of the callbacks so far, receives left out. */
  public List<String> calls() {
    return calls;
  }

  /** All bytes received. */
  public byte[] receivedBytes() {
    return received.toByteArray();
  }

  /** The connection, once it has told anything. */
  public Connection connection() {
    return connection;
  }

  /** Why it closed; null while it has not. */
  public CloseReason reason() {
    return reason;
  }

  @Override
  public void onOpened(Connection opened) {
    connection = opened;
    calls.add("opened");
    onOpened.accept(opened);
  }

  @Override
  public void onReceived(Connection from, Segment segment) {
    received.writeBytes(segment.toByteArray());
    onReceived.accept(from, segment);
  }

  @Override
  public void onPeerFinished(Connection finished) {
    calls.add("peerFinished");
    onPeerFinished.accept(finished);
  }

  @Override
  public void onWritable(Connection writable) {
    calls.add("writable");
    onWritable.accept(writable);
  }

  @Override
  public void onClosed(Connection closed, CloseReason why) {
    connection = closed;
    reason = why;
    calls.add("closed");
    onClosed.accept(closed);
  }
}
