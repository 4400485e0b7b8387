package io.penstock.shards.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.shards.Listener;
import io.penstock.shards.core.Backend;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.PeerCredentials;
import io.penstock.shards.net.CloseReason;
import io.penstock.shards.net.ConnectOptions;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.RawPeer;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.TestNet;
import io.penstock.shards.testing.Transport;
import io.penstock.shards.testing.Wait;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class UnixSocketTest {
  private static final ListenOptions TAKING_OVER =
      ListenOptions.defaults().withReplaceStaleFile(true);

  private static Endpoint.UnixPath at(Path path) {
    return new Endpoint.UnixPath(path.toString());
  }

  private static Listener echoAt(TestNet net, Path path, ListenOptions options) throws IOException {
    return net.group().listen(at(path), options, RecordingHandler::echoing);
  }

  private static void assertEcho(TestNet net, Listener listener) throws IOException {
    RawPeer peer = net.peerOf(listener);
    peer.send((byte) 7);
    assertThat(peer.receive(1)).containsExactly(7);
  }

  private static void close(Listener listener) throws Exception {
    listener.close().toCompletableFuture().get(5, TimeUnit.SECONDS);
  }

  private static Path pathOfLength(TestNet net, int lengthBytes) {
    String folder = net.folder() + "/";
    return Path.of(folder + "x".repeat(lengthBytes - folder.length()));
  }

  // B42
  @EachBackend(over = Transport.UNIX)
  void aPathOfUpToTheLimitIsBoundAndConnectedTo(TestNet net) throws Exception {
    int longest = net.isNio() ? 106 : 107; // The JDK takes one byte less than the kernel.
    for (int lengthBytes : new int[] {longest - 1, longest}) {
      Path path = pathOfLength(net, lengthBytes);
      Listener listener = echoAt(net, path, ListenOptions.defaults());
      assertThat(Files.exists(path)).isTrue();
      RecordingHandler handler = RecordingHandler.reading();
      net.connect(listener.local(), ConnectOptions.defaults(), handler);
      handler.awaitOpened();
      assertThat(handler.ask(Connection::remote)).isEqualTo(at(path));
      handler.tell(Connection::close);
      handler.awaitClosed();
      close(listener);
      assertThat(Files.exists(path)).isFalse();
    }
  }

  // B42
  @EachBackend(value = Backend.NIO, over = Transport.UNIX)
  void aPathThatTheJdkCannotBindIsNamedBeforeAnythingIsTouched(TestNet net) throws Exception {
    Path path = pathOfLength(net, 107);
    Files.writeString(path, "stays");
    assertThatThrownBy(() -> echoAt(net, path, TAKING_OVER))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(path.toString())
        .hasMessageContaining("106");
    RecordingHandler handler = RecordingHandler.silent();
    net.connect(at(path), ConnectOptions.defaults(), handler);
    assertThat(handler.awaitClosed())
        .isInstanceOfSatisfying(
            CloseReason.ConnectFailed.class,
            failed -> assertThat(failed.cause()).hasMessageContaining("106"));
    assertThat(Files.readString(path)).isEqualTo("stays");
    Files.delete(path);
  }

  // B42
  @Test
  void aPathThatDoesNotFitIsRefusedByName() {
    String fits = "/" + "y".repeat(106);
    assertThat(new Endpoint.UnixPath(fits).path()).hasSize(107);
    for (String path :
        new String[] {fits + "z", "/" + "y".repeat(199), "/" + "\u00fc".repeat(54)}) {
      int lengthBytes = path.getBytes(StandardCharsets.UTF_8).length;
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new Endpoint.UnixPath(path))
          .withMessageContaining(lengthBytes + " bytes")
          .withMessageContaining(path);
      assertThatIllegalArgumentException().isThrownBy(() -> new Endpoint.UnixAbstract(path));
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Endpoint.UnixPath("/a\0b"))
        .withMessageContaining("NUL");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Endpoint.UnixPath(""))
        .withMessageContaining("empty");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Endpoint.parse("@"))
        .withMessageContaining("empty");
  }

  // B42
  @EachBackend(over = Transport.UNIX)
  void aPathMayHaveCharactersOfManyBytes(TestNet net) throws Exception {
    Path path = net.folder().resolve("\u00fc\u20ac\ud83d\ude00");
    Listener listener = echoAt(net, path, ListenOptions.defaults());
    assertThat(Files.exists(path)).isTrue();
    assertEcho(net, listener);
    close(listener);
    assertThat(Files.exists(path)).isFalse();
  }

  // B44 (a)
  @EachBackend(over = Transport.UNIX)
  void theFileGoesWithItsListenerSoThatThePathCanBeBoundAgain(TestNet net) throws Exception {
    Path path = net.newPath();
    for (int i = 0; i < 3; i++) {
      Listener listener = echoAt(net, path, ListenOptions.defaults());
      assertEcho(net, listener);
      close(listener);
      assertThat(Files.exists(path)).isFalse();
    }
  }

  /** Leaves a socket's file as a killed server does. */
  private static void abandon(Path path) throws IOException {
    try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      killed.bind(UnixDomainSocketAddress.of(path));
    }
    assertThat(Files.exists(path)).isTrue();
  }

  // B44 (b)
  @EachBackend(over = Transport.UNIX)
  void aFileThatNobodyListensOnIsTakenOverIfThatIsAskedFor(TestNet net) throws Exception {
    Path path = net.newPath();
    abandon(path);
    assertAddressInUse(net, path, ListenOptions.defaults());
    Listener listener = echoAt(net, path, TAKING_OVER);
    assertEcho(net, listener);
    close(listener);
    assertThat(Files.exists(path)).isFalse();
    close(echoAt(net, path, TAKING_OVER));
  }

  private static void assertAddressInUse(TestNet net, Path path, ListenOptions options)
      throws IOException {
    Object before = Files.getAttribute(path, "unix:ino", LinkOption.NOFOLLOW_LINKS);
    assertThatThrownBy(() -> echoAt(net, path, options))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(path.toString())
        .hasMessageMatching("(?i).*address already in use.*");
    assertThat(Files.getAttribute(path, "unix:ino", LinkOption.NOFOLLOW_LINKS)).isEqualTo(before);
  }

  // B44 (c)
  @EachBackend(over = Transport.UNIX)
  void aPathThatALiveServerOwnsStaysItsOwn(TestNet net) throws Exception {
    Path path = net.newPath();
    Listener live = echoAt(net, path, ListenOptions.defaults());
    assertAddressInUse(net, path, ListenOptions.defaults());
    assertAddressInUse(net, path, TAKING_OVER);
    assertEcho(net, live);
  }

  // B44 (c)
  @EachBackend(over = Transport.UNIX)
  void aServerThatIsTooBusyToAcceptIsALiveOne(TestNet net) throws Exception {
    var stalled = net.rawListener(1);
    stalled.fillQueue(1);
    Path path = Path.of(((Endpoint.UnixPath) stalled.endpoint()).path());
    assertAddressInUse(net, path, TAKING_OVER);
  }

  // B44 (d)
  @EachBackend(over = Transport.UNIX)
  void whatIsNoSocketStaysAsItIs(TestNet net) throws Exception {
    Path file = Files.writeString(net.folder().resolve("file"), "stays");
    Path folder = Files.createDirectory(net.folder().resolve("folder"));
    Path abandoned = net.newPath();
    abandon(abandoned);
    Path link = Files.createSymbolicLink(net.folder().resolve("link"), abandoned);
    for (Path path : List.of(file, folder, link)) {
      assertAddressInUse(net, path, ListenOptions.defaults());
      assertAddressInUse(net, path, TAKING_OVER);
    }
    assertThat(Files.readString(file)).isEqualTo("stays");
    for (Path path : List.of(file, folder, link, abandoned)) {
      assertThat(Files.exists(path, LinkOption.NOFOLLOW_LINKS)).isTrue();
      Files.delete(path);
    }
  }

  // B44 (e)
  @EachBackend(over = Transport.UNIX)
  void aFileThatSomebodyPutInThePlaceOfOursIsLeftAlone(TestNet net) throws Exception {
    Path path = net.newPath();
    Listener ours = echoAt(net, path, ListenOptions.defaults());
    Files.delete(path);
    try (ServerSocketChannel theirs = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      theirs.bind(UnixDomainSocketAddress.of(path));
      close(ours);
      assertThat(Files.exists(path)).isTrue();
      RawPeer.connect(UnixDomainSocketAddress.of(path)).close();
    }
    Files.delete(path);
    Listener gone = echoAt(net, path, ListenOptions.defaults());
    Files.delete(path);
    close(gone);
  }

  @EachBackend(over = Transport.UNIX)
  void aListenerThatCannotBeBoundLeavesNothing(TestNet net) {
    Path path = net.folder().resolve("missing").resolve("s");
    assertThatThrownBy(() -> echoAt(net, path, ListenOptions.defaults()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(path.toString());
  }

  @EachBackend(over = Transport.UNIX)
  void theFileHasExactlyTheModeAskedFor(TestNet net) throws Exception {
    Path standard = net.newPath();
    Listener listener = echoAt(net, standard, ListenOptions.defaults());
    assertThat(modeOf(standard)).isEqualTo("rw-------");
    close(listener);
    for (String mode : new String[] {"rw-rw-rw-", "rw-r-----", "rwxrwxrwx", "---------"}) {
      Path path = net.newPath();
      int bits = 0;
      for (int i = 0; i < 9; i++) {
        bits |= mode.charAt(i) == '-' ? 0 : 0400 >> i;
      }
      Listener other = echoAt(net, path, ListenOptions.defaults().withUnixMode(bits));
      assertThat(modeOf(path)).isEqualTo(mode);
      close(other);
      assertThat(Files.exists(path)).isFalse();
    }
  }

  private static String modeOf(Path path) throws IOException {
    return PosixFilePermissions.toString(
        Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS));
  }

  @EachBackend(over = Transport.UNIX)
  void thePeerIsKnownByItsCredentials(TestNet net) throws Exception {
    RecordingHandler accepted = RecordingHandler.silent();
    Listener listener = net.listen(accepted);
    RecordingHandler connected = RecordingHandler.silent();
    net.connect(listener.local(), ConnectOptions.defaults(), connected);
    accepted.awaitOpened();
    connected.awaitOpened();
    for (RecordingHandler handler : List.of(accepted, connected)) {
      assertItIsThisProcess(net, handler.ask(UnixSocketTest::credentials));
    }
    assertThat(accepted.ask(Connection::remote)).isEqualTo(new Endpoint.UnixUnnamed());
    assertThat(accepted.ask(Connection::local)).isEqualTo(listener.local());
    assertThat(connected.ask(Connection::local)).isEqualTo(new Endpoint.UnixUnnamed());
  }

  private static PeerCredentials credentials(Connection connection) {
    try {
      return connection.peerCredentials();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static void assertItIsThisProcess(TestNet net, PeerCredentials peer) throws IOException {
    Path self = Path.of("/proc/self");
    if (net.isNio()) {
      String name = Files.getOwner(self).getName();
      assertThat(peer).isEqualTo(new PeerCredentials(-1, -1, -1, name));
    } else {
      int uid = (int) Files.getAttribute(self, "unix:uid");
      int gid = (int) Files.getAttribute(self, "unix:gid");
      int pid = (int) ProcessHandle.current().pid();
      assertThat(peer).isEqualTo(new PeerCredentials(pid, uid, gid, null));
    }
  }

  @EachBackend(over = Transport.TCP)
  void aTcpPeerHasNoCredentials(TestNet net) throws Exception {
    RecordingHandler handler = RecordingHandler.silent();
    net.accepted(handler);
    handler.tell(
        connection ->
            assertThatThrownBy(connection::peerCredentials)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("TCP"));
    assertThatThrownBy(
            () ->
                net.listenEach(
                    ListenOptions.defaults().withAllowedPeers(peer -> true), RecordingHandler::new))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Unix");
  }

  @EachBackend(over = Transport.UNIX)
  void onlyAllowedPeersGetIn(TestNet net) throws Exception {
    List<PeerCredentials> asked = new CopyOnWriteArrayList<>();
    Predicate<PeerCredentials> secondOnly =
        peer -> {
          asked.add(peer);
          if (asked.size() == 3) {
            throw new IllegalStateException("cannot tell");
          }
          return asked.size() == 2;
        };
    List<RecordingHandler> made = new CopyOnWriteArrayList<>();
    Listener listener =
        net.listenEach(
            ListenOptions.defaults().withAllowedPeers(secondOnly),
            () -> {
              made.add(RecordingHandler.echoing());
              return made.get(made.size() - 1);
            });
    net.expectError("the choice of allowed peers");
    assertThat(net.peerOf(listener).discardToEnd()).isZero();
    assertEcho(net, listener);
    assertThat(net.peerOf(listener).discardToEnd()).isZero();
    assertThat(listener.refusedCount()).isEqualTo(2);
    assertThat(made).as("handlers of those who got in").hasSize(1);
    assertItIsThisProcess(net, asked.get(0));
    Wait.until("one is open", () -> listener.openCount() == 1);
  }

  @EachBackend({Backend.IO_URING, Backend.EPOLL})
  void anAbstractNameNeedsNoFile(TestNet net) throws Exception {
    Endpoint name = Endpoint.parse("@penstock-test-" + ProcessHandle.current().pid());
    for (int i = 0; i < 2; i++) {
      Listener listener =
          net.group().listen(name, ListenOptions.defaults(), RecordingHandler::echoing);
      assertThat(listener.local()).isEqualTo(name);
      assertThat(Files.readString(Path.of("/proc/net/unix"))).contains(" " + name + "\n");
      assertThatThrownBy(() -> net.group().listen(name, TAKING_OVER, RecordingHandler::echoing))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(name.toString())
          .hasMessageMatching("(?i).*address already in use.*");
      RecordingHandler handler = RecordingHandler.reading();
      net.connect(name, ConnectOptions.defaults(), handler);
      handler.awaitOpened();
      handler.tell(
          connection -> {
            var segment = connection.lease(1);
            segment.append(new byte[] {9}, 0, 1);
            connection.write(segment);
          });
      handler.awaitReceived(1);
      assertThat(handler.bytes()).containsExactly(9);
      assertThat(handler.ask(Connection::remote)).isEqualTo(name);
      handler.tell(Connection::close);
      handler.awaitClosed();
      close(listener);
      assertThat(Files.readString(Path.of("/proc/net/unix"))).doesNotContain(name.toString());
    }
    assertThat(Files.exists(Path.of(name.toString()))).isFalse();
  }

  @EachBackend(Backend.NIO)
  void anAbstractNameIsRefusedBeforeAnyFileAppears(TestNet net) throws Exception {
    Endpoint name = Endpoint.parse("@penstock-never-" + ProcessHandle.current().pid());
    assertThatThrownBy(
            () -> net.group().listen(name, ListenOptions.defaults(), RecordingHandler::echoing))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("nio")
        .hasMessageContaining(name.toString());
    RecordingHandler handler = RecordingHandler.silent();
    net.connect(name, ConnectOptions.defaults(), handler);
    assertThat(handler.awaitClosed())
        .isInstanceOfSatisfying(
            CloseReason.ConnectFailed.class,
            failed -> assertThat(failed.cause()).hasMessageContaining("nio"));
    try (var files = Files.list(Path.of(""))) {
      assertThat(files).noneMatch(file -> file.toString().contains("penstock-never"));
    }
  }
}
