package io.penstock.shards.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import io.penstock.shards.Listener;
import io.penstock.shards.core.Backend;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.SocketOption;
import io.penstock.shards.core.SocketOptions;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.os.Libc;
import io.penstock.shards.testing.Addresses;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.RawPeer;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.SocketFacts;
import io.penstock.shards.testing.TestNet;
import io.penstock.shards.testing.Transport;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

class AdoptTest {

  private static void assertEcho(TestNet net, Listener listener) throws IOException {
    RawPeer peer = net.peerOf(listener);
    peer.send((byte) 7);
    assertThat(peer.receive(1)).containsExactly(7);
    peer.close();
  }

  private static Socket listening(TestNet net) throws IOException {
    Socket socket = net.isUnix() ? Socket.newSocketDomain() : Socket.newSocketStream();
    socket.bind(
        net.isUnix()
            ? new DomainSocketAddress(net.newPath().toString())
            : Addresses.at("127.0.0.1", 0));
    socket.listen(16);
    return socket;
  }

  @EachBackend(
      value = {Backend.IO_URING, Backend.EPOLL},
      over = {Transport.TCP, Transport.UNIX})
  void aDescriptorThatListensIsTakenOverWithWhoWaits(TestNet net) throws Exception {
    Socket socket = listening(net);
    Endpoint local =
        net.isUnix()
            ? new Endpoint.UnixPath(socket.localDomainSocketAddress().path())
            : new Endpoint.Tcp(socket.localAddress());
    RawPeer waiting = net.closing(RawPeer.connect(TestNet.jdkAddress(local)));
    waiting.send((byte) 3);

    Listener listener =
        net.group().adopt(socket.intValue(), ListenOptions.defaults(), RecordingHandler::echoing);

    assertThat(listener.local().toString().replace("[::ffff:", "").replace("]", ""))
        .contains(local.toString());
    assertThat(waiting.receive(1)).containsExactly(3);
    assertEcho(net, listener);
    listener.close().toCompletableFuture().get(5, TimeUnit.SECONDS);
    assertThatThrownBy(() -> RawPeer.connect(TestNet.jdkAddress(local)))
        .isInstanceOf(ConnectException.class);
    if (net.isUnix()) {
      // Whoever bound it made the file, and keeps it.
      Files.delete(Path.of(((Endpoint.UnixPath) local).path()));
    }
  }

  @EachBackend({Backend.IO_URING, Backend.EPOLL})
  void aDescriptorThatBlocksDoesNotBlockTheShard(TestNet net) throws Exception {
    try (ServerSocketChannel blocking = ServerSocketChannel.open()) {
      blocking.bind(Addresses.at("127.0.0.1", 0));
      Endpoint local = new Endpoint.Tcp((InetSocketAddress) blocking.getLocalAddress());
      int descriptor = Libc.duplicate(SocketFacts.listening(local));
      assertThat(Libc.isNonBlocking(descriptor)).isFalse();
      RecordingHandler handler = RecordingHandler.echoing();
      Listener listener =
          net.group()
              .adopt(
                  descriptor,
                  ListenOptions.defaults()
                      .withAcceptedSocket(SocketOptions.none().with(SocketOption.TCP_KEEPIDLE, 88)),
                  () -> handler);
      assertThat(Libc.isNonBlocking(descriptor)).isTrue();
      assertThat(listener.local()).isEqualTo(local);
      assertEcho(net, listener);
      handler.awaitClosed();
    }
  }

  @EachBackend({Backend.IO_URING, Backend.EPOLL})
  void anAcceptedOptionIsInForceOnAnAdoptedListenerToo(TestNet net) throws Exception {
    Socket socket = listening(net);
    RecordingHandler handler = RecordingHandler.silent();
    Listener listener =
        net.group()
            .adopt(
                socket.intValue(),
                ListenOptions.defaults()
                    .withAcceptedSocket(SocketOptions.none().with(SocketOption.TCP_KEEPIDLE, 88)),
                () -> handler);
    net.peerOf(listener);
    handler.awaitOpened();
    int descriptor =
        SocketFacts.connected(handler.ask(Connection::local), handler.ask(Connection::remote));
    assertThat(SocketFacts.option(descriptor, SocketOption.TCP_KEEPIDLE, false)).isEqualTo(88);
  }

  @EachBackend({Backend.IO_URING, Backend.EPOLL})
  void aDescriptorThatDoesNotListenIsRefusedAndStaysTheCallers(TestNet net) throws Exception {
    Socket unbound = Socket.newSocketStream();
    Socket datagram = Socket.newSocketDgram();
    datagram.bind(Addresses.at("127.0.0.1", 0));
    for (Socket socket : new Socket[] {unbound, datagram}) {
      assertThatThrownBy(() -> adopt(net, socket.intValue()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("descriptor " + socket.intValue())
          .hasMessageContaining("does not listen");
      socket.close();
    }
    assertThatThrownBy(() -> adopt(net, 999_999))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("999999");
    assertThatThrownBy(() -> adopt(net, -1)).isInstanceOf(IOException.class);
  }

  @EachBackend(Backend.NIO)
  void withoutNativesADescriptorIsRefusedWithTheReason(TestNet net) {
    assertThatThrownBy(() -> adopt(net, 999))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("nio")
        .hasMessageContaining("inherited")
        .hasMessageContaining("999");
  }

  private static void adopt(TestNet net, int descriptor) throws IOException {
    net.group().adopt(descriptor, ListenOptions.defaults(), RecordingHandler::new);
  }
}
