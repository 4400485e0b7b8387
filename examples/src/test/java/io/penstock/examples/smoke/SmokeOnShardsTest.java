package io.penstock.examples.smoke;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.examples.InProcess;
import io.penstock.examples.InProcess.Result;
import io.penstock.examples.echo.EchoHandler;
import io.penstock.shards.Listener;
import io.penstock.shards.core.Backend;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.RawListener;
import io.penstock.shards.testing.TestNet;
import io.penstock.shards.testing.Transport;
import java.util.UUID;

class SmokeOnShardsTest {

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void pingPongIsReportedFieldByField(TestNet net) {
    Scenarios.pingPongIsReportedFieldByField(leg(net), net.backend().label());
  }

  @EachBackend
  void manyMessagesInFlightAreGathered(TestNet net) {
    Scenarios.manyMessagesInFlightAreGathered(leg(net));
  }

  @EachBackend
  void anUnboundedWindowGoesOnWhileThereIsRoom(TestNet net) {
    Scenarios.anUnboundedWindowGoesOnWhileThereIsRoom(leg(net));
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void sendsOutOfBandArriveByteForByte(TestNet net) {
    Scenarios.sendsOutOfBandArriveByteForByte(leg(net));
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void echoesArriveByteForByte(TestNet net) {
    Scenarios.echoesArriveByteForByte(leg(net));
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void repliesOfAnotherThreadArriveByteForByte(TestNet net) {
    Scenarios.repliesOfAnotherThreadArriveByteForByte(leg(net));
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void clientsThatEndLeaveNothingBehind(TestNet net) {
    Scenarios.clientsThatEndLeaveNothingBehind(leg(net));
  }

  @EachBackend(over = {Transport.TCP, Transport.UNIX})
  void clientsThatAreReplacedAllEnd(TestNet net) {
    Scenarios.clientsThatAreReplacedAllEnd(leg(net));
  }

  @EachBackend(
      value = {Backend.IO_URING, Backend.EPOLL},
      over = {Transport.TCP, Transport.UNIX})
  void aListenerMadeOutsideIsAdopted(TestNet net) {
    Scenarios.aListenerMadeOutsideIsAdopted(leg(net));
  }

  @EachBackend(Backend.NIO)
  void anAdoptedListenerIsRefusedWithTheReason(TestNet net) {
    Scenarios.anAdoptedListenerIsRefusedWithTheReason(leg(net));
  }

  @EachBackend({Backend.IO_URING, Backend.EPOLL})
  void anAbstractNameNeedsNoFile(Backend backend) {
    String name = "@penstock-" + UUID.randomUUID();
    String leg = "--backend " + backend + " -n 2 -p false -u " + name;

    assertThat(Scenarios.succeeds(leg + " -s -c 4 --close-after 5").line("listening"))
        .isEqualTo("listening on " + name);
    assertThat(Scenarios.succeeds(leg + " -s -c 4 --adopt --close-after 5").line("adopted"))
        .endsWith(" on " + name);
    Scenarios.sendsOutOfBandArriveByteForByte(leg);
    Scenarios.echoesArriveByteForByte(leg);
    Scenarios.clientsThatAreReplacedAllEnd(leg);
  }

  @EachBackend
  void clientsRunWithoutTheServerInTheirProcess(TestNet net) throws Exception {
    Listener listener =
        net.group().listen(net.anyAddress(), ListenOptions.defaults(), () -> EchoHandler.INSTANCE);
    int port = ((Endpoint.Tcp) listener.local()).address().getPort();

    Result run =
        Scenarios.succeeds(
            "--backend " + net.backend() + " -n 1 -p false -c 3 --close-after 20 --port " + port);

    assertThat(run.line("soak: done")).contains("3 sockets churned, final live=0").endsWith("PASS");
  }

  @EachBackend(Backend.NIO)
  void aServerThatReadsNothingIsNamedAsAWedgeWithItsOwnStatus(TestNet net) throws Exception {
    RawListener listener = net.rawListener(8);
    int port = ((Endpoint.Tcp) listener.endpoint()).address().getPort();

    Result run = InProcess.run("smoke --backend nio -n 1 -p false -c 2 --pipeline --port " + port);

    assertThat(run.status()).isEqualTo(4);
    assertThat(run.line("wedge: ")).contains("while all 2 client(s) are full");
  }

  @EachBackend(Backend.NIO)
  void whatCannotBeBoundOrReachedEndsWithStatusOneAndTheReason(TestNet net) throws Exception {
    RawListener listener = net.rawListener(8);
    int taken = ((Endpoint.Tcp) listener.endpoint()).address().getPort();
    listener.close();
    Result refused = InProcess.run("smoke --backend nio -n 1 -p false -c 1 --port " + taken);
    assertThat(refused.status()).isEqualTo(1);
    assertThat(refused.err()).startsWith("smoke: client 1 of 1 did not connect to 127.0.0.1:");

    Result unbound =
        InProcess.run("smoke --backend nio -n 1 -p false -s -c 1 -u /no/such/folder/socket");
    assertThat(unbound.status()).isEqualTo(1);
    assertThat(unbound.err()).startsWith("smoke: ").hasLineCount(1);
  }

  @EachBackend(Backend.NIO)
  void theLargestRingThatTheLineTakesIsOneThatTheShardsTake(TestNet net) {
    assertThat(
            Scenarios.succeeds(leg(net) + " -e 32768 -s -c 2 --close-after 1").line("soak: done"))
        .endsWith("=> PASS");
  }

  @EachBackend(Backend.NIO)
  void moreShardsThanCpusAllRunAndTheBannerSaysWhere(TestNet net) {
    Result run = Scenarios.succeeds("--backend nio -n 12 --port 0 -s -c 24 --close-after 2");

    assertThat(run.lines().get(0)).contains(" shards=12 ");
    if (run.lines().get(0).contains("pin=True")) {
      String cpus = run.lines().get(0).replaceAll(".* cpus=([0-9,]+) .*", "$1");
      assertThat(cpus.split(",", -1)).hasSize(12);
    }
  }

  private static String leg(TestNet net) {
    String where = net.isUnix() ? "-u " + net.newPath() : "--port 0";
    return "--backend " + net.backend() + " -n 2 -p false " + where;
  }
}
