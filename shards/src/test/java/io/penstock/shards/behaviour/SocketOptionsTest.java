package io.penstock.shards.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.shards.Listener;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.SocketOption;
import io.penstock.shards.core.SocketOptions;
import io.penstock.shards.core.UnsupportedSocketOptionException;
import io.penstock.shards.net.CloseReason;
import io.penstock.shards.net.ConnectOptions;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.testing.Addresses;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.RawListener;
import io.penstock.shards.testing.RawPeer;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.SocketFacts;
import io.penstock.shards.testing.TestNet;
import io.penstock.shards.testing.Transport;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SocketOptionsTest {
  /** What the JDK has no option for. */
  private static final Set<SocketOption> UNKNOWN_TO_NIO =
      EnumSet.of(
          SocketOption.TCP_USER_TIMEOUT,
          SocketOption.IP_BIND_ADDRESS_NO_PORT,
          SocketOption.IPV6_V6ONLY,
          SocketOption.TCP_FASTOPEN);

  /** What the JDK can set on a socket that listens. */
  private static final Set<SocketOption> NIO_LISTENER =
      EnumSet.of(SocketOption.SO_RCVBUF, SocketOption.SO_REUSEADDR, SocketOption.SO_REUSEPORT);

  private static final Set<SocketOption> OF_UNIX =
      EnumSet.of(SocketOption.SO_SNDBUF, SocketOption.SO_RCVBUF, SocketOption.SO_LINGER);

  /** A value for each option that is not what the kernel begins with. */
  private static final Map<SocketOption, Integer> VALUES = new EnumMap<>(SocketOption.class);

  static {
    VALUES.put(SocketOption.TCP_NODELAY, 0);
    VALUES.put(SocketOption.SO_KEEPALIVE, 1);
    VALUES.put(SocketOption.TCP_KEEPIDLE, 77);
    VALUES.put(SocketOption.TCP_KEEPINTVL, 13);
    VALUES.put(SocketOption.TCP_KEEPCNT, 4);
    VALUES.put(SocketOption.TCP_USER_TIMEOUT, 4321);
    VALUES.put(SocketOption.TCP_QUICKACK, 1);
    VALUES.put(SocketOption.SO_LINGER, 5);
    VALUES.put(SocketOption.SO_SNDBUF, 20_000);
    VALUES.put(SocketOption.SO_RCVBUF, 30_000);
    VALUES.put(SocketOption.SO_REUSEADDR, 1);
    VALUES.put(SocketOption.SO_REUSEPORT, 1);
    VALUES.put(SocketOption.TRAFFIC_CLASS, 0x20);
    VALUES.put(SocketOption.IP_BIND_ADDRESS_NO_PORT, 1);
    VALUES.put(SocketOption.IPV6_V6ONLY, 1);
    VALUES.put(SocketOption.TCP_FASTOPEN, 9);
  }

  private static SocketOptions only(SocketOption option) {
    return SocketOptions.none().with(option, VALUES.get(option));
  }

  /** The kernel doubles the sizes of buffers. */
  private static int expected(SocketOption option) {
    boolean doubled = option == SocketOption.SO_SNDBUF || option == SocketOption.SO_RCVBUF;
    return VALUES.get(option) * (doubled ? 2 : 1);
  }

  private static boolean fitsStream(SocketOption option, boolean ipv6, boolean accepted) {
    return switch (option) {
      case TCP_FASTOPEN -> false;
      case IPV6_V6ONLY -> ipv6 && !accepted;
      default -> true;
    };
  }

  @Test
  void eachOptionHasAValueHere() {
    assertThat(VALUES).containsOnlyKeys(SocketOption.values());
  }

  @EachBackend
  void eachOptionIsSetOnConnectingSocketsOrRefusedByName(TestNet net) throws Exception {
    for (String host : new String[] {"127.0.0.1", "::1"}) {
      boolean ipv6 = host.equals("::1");
      RawListener listener = net.closing(RawListener.open(Addresses.at(host, 0), 64));
      for (SocketOption option : SocketOption.values()) {
        boolean settable =
            fitsStream(option, ipv6, false) && !(net.isNio() && UNKNOWN_TO_NIO.contains(option));
        RecordingHandler handler = RecordingHandler.silent();
        net.connect(
            listener.endpoint(), ConnectOptions.defaults().withSocket(only(option)), handler);
        if (settable) {
          handler.awaitOpened();
          assertInForce(handler, option, ipv6);
          handler.tell(Connection::abort);
          handler.awaitClosed();
        } else {
          assertRefusedByName(handler.awaitClosed(), option);
        }
      }
    }
  }

  private static void assertInForce(RecordingHandler handler, SocketOption option, boolean ipv6)
      throws Exception {
    int descriptor =
        SocketFacts.connected(handler.ask(Connection::local), handler.ask(Connection::remote));
    assertThat(SocketFacts.option(descriptor, option, ipv6))
        .as("%s of %s", option, handler.connection())
        .isEqualTo(expected(option));
  }

  private static void assertRefusedByName(CloseReason reason, SocketOption option) {
    assertThat(reason)
        .isInstanceOfSatisfying(
            CloseReason.ConnectFailed.class,
            failed ->
                assertThat(failed.cause())
                    .isInstanceOfSatisfying(
                        UnsupportedSocketOptionException.class,
                        refused -> assertThat(refused.option()).isEqualTo(option))
                    .hasMessageContaining(option.name()));
  }

  @EachBackend
  void eachOptionIsSetOnAcceptedSocketsOrRefusedByNameBefore(TestNet net) throws Exception {
    for (String host : new String[] {"127.0.0.1", "::1"}) {
      boolean ipv6 = host.equals("::1");
      for (SocketOption option : SocketOption.values()) {
        boolean settable =
            fitsStream(option, ipv6, true) && !(net.isNio() && UNKNOWN_TO_NIO.contains(option));
        ListenOptions options = ListenOptions.defaults().withAcceptedSocket(only(option));
        RecordingHandler handler = RecordingHandler.silent();
        if (settable) {
          Listener listener = net.group().listen(Endpoint.tcp(host, 0), options, () -> handler);
          RawPeer peer = net.peerOf(listener);
          handler.awaitOpened();
          assertInForce(handler, option, ipv6);
          handler.tell(Connection::abort);
          handler.awaitClosed();
          peer.close();
        } else {
          assertListenRefused(net, Endpoint.tcp(host, 0), options, option);
        }
      }
    }
  }

  private static void assertListenRefused(
      TestNet net, Endpoint endpoint, ListenOptions options, SocketOption option) {
    assertThatThrownBy(() -> net.group().listen(endpoint, options, RecordingHandler::new))
        .isInstanceOfSatisfying(
            UnsupportedSocketOptionException.class,
            refused -> assertThat(refused.option()).isEqualTo(option))
        .hasMessageContaining(option.name());
  }

  @EachBackend
  void eachOptionIsSetOnListeningSocketsOrRefusedByName(TestNet net) throws Exception {
    for (String host : new String[] {"127.0.0.1", "::1"}) {
      boolean ipv6 = host.equals("::1");
      for (SocketOption option : SocketOption.values()) {
        boolean settable =
            net.isNio() ? nioListenerKnows(option) : ipv6 || option != SocketOption.IPV6_V6ONLY;
        ListenOptions options = ListenOptions.defaults().withListenerSocket(only(option));
        if (settable) {
          Listener listener =
              net.group().listen(Endpoint.tcp(host, 0), options, RecordingHandler::new);
          int descriptor = SocketFacts.listening(listener.local());
          assertThat(SocketFacts.option(descriptor, option, ipv6))
              .as("%s of %s", option, listener)
              .isEqualTo(expected(option));
        } else {
          assertListenRefused(net, Endpoint.tcp(host, 0), options, option);
        }
      }
    }
  }

  /** Which of its options the JDK has for a socket that listens differs between its versions. */
  private static boolean nioListenerKnows(SocketOption option) throws IOException {
    try (ServerSocketChannel channel = ServerSocketChannel.open()) {
      String name = option.name().replace("INTVL", "INTERVAL").replace("KEEPCNT", "KEEPCOUNT");
      boolean known = channel.supportedOptions().stream().anyMatch(o -> o.name().equals(name));
      assertThat(known || !NIO_LISTENER.contains(option)).as(name).isTrue();
      return known;
    }
  }

  @EachBackend(over = Transport.UNIX)
  void unixSocketsHaveBufferSizesAndLittleElse(TestNet net) throws Exception {
    for (SocketOption option : SocketOption.values()) {
      ListenOptions accepted = ListenOptions.defaults().withAcceptedSocket(only(option));
      RecordingHandler handler = RecordingHandler.silent();
      if (OF_UNIX.contains(option)) {
        RawPeer peer = net.accepted(accepted, handler);
        int descriptor =
            SocketFacts.connected(handler.ask(Connection::local), handler.ask(Connection::remote));
        assertThat(SocketFacts.option(descriptor, option, false))
            .as(option.name())
            .isEqualTo(expected(option));
        handler.tell(Connection::abort);
        handler.awaitClosed();
        peer.close();
      } else {
        Endpoint path = net.anyAddress();
        assertListenRefused(net, path, accepted, option);
        assertListenRefused(
            net, path, ListenOptions.defaults().withListenerSocket(only(option)), option);
        net.connect(path, ConnectOptions.defaults().withSocket(only(option)), handler);
        assertRefusedByName(handler.awaitClosed(), option);
      }
    }
  }

  @EachBackend
  void smallWritesLeaveAtOnceUnlessAskedOtherwise(TestNet net) throws Exception {
    RecordingHandler accepted = RecordingHandler.silent();
    RawPeer peer = net.accepted(accepted);
    RecordingHandler connected = RecordingHandler.silent();
    net.connected(ConnectOptions.defaults(), connected);
    for (RecordingHandler handler : new RecordingHandler[] {accepted, connected}) {
      int descriptor =
          SocketFacts.connected(handler.ask(Connection::local), handler.ask(Connection::remote));
      assertThat(SocketFacts.option(descriptor, SocketOption.TCP_NODELAY, false)).isEqualTo(1);
    }
    peer.close();
  }

  // B59
  @Test
  void theOrderInWhichOptionsAreNamedMakesNoDifference() {
    SocketOptions one =
        SocketOptions.none().with(SocketOption.SO_SNDBUF, 1).with(SocketOption.SO_RCVBUF, 2);
    SocketOptions other =
        SocketOptions.none().with(SocketOption.SO_RCVBUF, 2).with(SocketOption.SO_SNDBUF, 1);
    assertThat(one).isEqualTo(other).hasSameHashCodeAs(other);
    assertThat(one.with(SocketOption.SO_SNDBUF, 3)).isNotEqualTo(one);
    assertThat(one.value(SocketOption.SO_SNDBUF, 0)).isEqualTo(1);
    assertThat(one.value(SocketOption.TCP_NODELAY, 9)).isEqualTo(9);
  }

  // B59
  @Test
  void valuesThatMakeNoSenseAreRefusedByName() {
    for (SocketOption option : SocketOption.values()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> SocketOptions.none().with(option, -1))
          .withMessageContaining(option.name())
          .withMessageContaining("-1");
    }
    for (int backlog : new int[] {0, -1}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ListenOptions.defaults().withBacklog(backlog))
          .withMessageContaining("backlog")
          .withMessageContaining(Integer.toString(backlog));
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ListenOptions.defaults().withMaxConnections(0))
        .withMessageContaining("maxConnections");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ListenOptions.defaults().withUnixMode(01777))
        .withMessageContaining("unixMode");
  }
}
