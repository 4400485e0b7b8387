package io.penstock.shards.net;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.penstock.shards.memory.Segment;
import io.penstock.shards.testing.FakeStreamSocket;
import io.penstock.shards.testing.ScriptedHandler;
import io.penstock.shards.testing.SteppedShard;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;

/** What the stepped tests of connections share, and what must hold behind each of them. */
abstract class ConnectionStepTest {
  final SteppedShard shard;
  final ScriptedHandler handler = new ScriptedHandler();
  final List<String> acks = new ArrayList<>();
  private final List<FakeStreamSocket> sockets = new ArrayList<>();

  ConnectionStepTest() {
    this(new SteppedShard());
  }

  ConnectionStepTest(SteppedShard shard) {
    this.shard = shard;
  }

  /** An accepted connection of the handler. */
  FakeStreamSocket accept() {
    return accept(ConnectionOptions.defaults());
  }

  FakeStreamSocket accept(ConnectionOptions options) {
    return watched(shard.accept(ListenOptions.defaults().withConnection(options), handler));
  }

  /** Checks this one, too, when the test is over. */
  FakeStreamSocket watched(FakeStreamSocket socket) {
    sockets.add(socket);
    return socket;
  }

  Connection connection() {
    return handler.connection();
  }

  Segment segment(String text) {
    Segment segment = shard.pool().lease(text.length(), "the test");
    segment.append(text.getBytes(US_ASCII), 0, text.length());
    return segment;
  }

  void write(String text) {
    connection().write(segment(text));
  }

  /** Writes, and notes by name how that ended. */
  void writeAcked(String text) {
    Assertions.assertThat(connection().tryWrite(segment(text), ack(text))).isTrue();
  }

  WriteAck ack(String name) {
    return new WriteAck() {
      @Override
      public void onWritten() {
        acks.add(name);
      }

      @Override
      public void onFailed(CloseReason reason) {
        acks.add(name + " failed: " + reason.getClass().getSimpleName());
      }
    };
  }

  static String text(byte[] bytes) {
    return new String(bytes, US_ASCII);
  }

  static byte[] bytes(String text) {
    return text.getBytes(US_ASCII);
  }

  String peerGot(FakeStreamSocket socket) {
    return text(socket.peerGot());
  }

  @AfterEach
  void everythingIsGivenBackAndNoCallWasOutOfOrder() {
    for (FakeStreamSocket socket : sockets) {
      Assertions.assertThat(socket.violations()).isEmpty();
    }
    shard.net().endAll();
    shard.turnUntilIdle();
    Assertions.assertThat(shard.net().openCount()).isZero();
    shard.net().close();
    Assertions.assertThat(shard.pool().leasedCount()).as("segments out").isZero();
    Assertions.assertThat(handler.calls()).filteredOn("closed"::equals).hasSizeLessThan(2);
    Assertions.assertThat(shard.errors()).isEmpty();
  }
}
