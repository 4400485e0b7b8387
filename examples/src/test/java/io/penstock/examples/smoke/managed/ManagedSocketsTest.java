package io.penstock.examples.smoke.managed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;

class ManagedSocketsTest {

  @Test
  void aChannelThatAFailedConnectHasClosedCanBeReset() throws IOException {
    try (SocketChannel channel = SocketChannel.open()) {
      assertThatThrownBy(() -> channel.connect(nobodyListens())).isInstanceOf(IOException.class);
      assertThat(channel.isOpen()).isFalse();

      ManagedSockets.reset(channel, false);
    }
  }

  @Test
  void aResetIsWhatThePeerSees() throws IOException {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        SocketChannel channel = SocketChannel.open(listener.getLocalSocketAddress());
        var accepted = listener.accept()) {
      ManagedSockets.reset(channel, false);

      assertThatThrownBy(() -> accepted.getInputStream().read())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("reset");
    }
  }

  private static InetSocketAddress nobodyListens() throws IOException {
    try (ServerSocket closing = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return (InetSocketAddress) closing.getLocalSocketAddress();
    }
  }
}
