package io.penstock.examples.smoke;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.examples.InProcess;
import io.penstock.examples.InProcess.Result;
import io.penstock.shards.testing.ResourceCheck;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(ResourceCheck.class)
class SmokeManagedTest {

  enum Where {
    TCP,
    UNIX
  }

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource
  void pingPongIsReportedFieldByField(Where where) {
    Scenarios.pingPongIsReportedFieldByField(leg(where), "managed");
  }

  @Test
  void manyMessagesInFlightAreGathered() {
    Scenarios.manyMessagesInFlightAreGathered(leg(Where.TCP));
  }

  @Test
  void anUnboundedWindowGoesOnWhileThereIsRoom() {
    Scenarios.anUnboundedWindowGoesOnWhileThereIsRoom(leg(Where.TCP));
  }

  @ParameterizedTest
  @EnumSource
  void sendsOutOfBandArriveByteForByte(Where where) {
    Scenarios.sendsOutOfBandArriveByteForByte(leg(where));
  }

  @ParameterizedTest
  @EnumSource
  void echoesArriveByteForByte(Where where) {
    Scenarios.echoesArriveByteForByte(leg(where));
  }

  @ParameterizedTest
  @EnumSource
  void repliesOfAnotherThreadArriveByteForByte(Where where) {
    Scenarios.repliesOfAnotherThreadArriveByteForByte(leg(where));
  }

  @ParameterizedTest
  @EnumSource
  void clientsThatEndLeaveNothingBehind(Where where) {
    Scenarios.clientsThatEndLeaveNothingBehind(leg(where));
  }

  @ParameterizedTest
  @EnumSource
  void clientsThatAreReplacedAllEnd(Where where) {
    Scenarios.clientsThatAreReplacedAllEnd(leg(where));
  }

  @Test
  void anAdoptedListenerIsRefusedWithTheReason() {
    Scenarios.anAdoptedListenerIsRefusedWithTheReason(leg(Where.TCP));
  }

  @Test
  void shardsAndPinsAreIgnoredAndTheBannerSaysSo() {
    Result run = Scenarios.succeeds("-m -n 12 -p true --port 0 -s -c 2 --close-after 1");

    assertThat(run.lines().get(0))
        .startsWith("backend=managed ")
        .contains(" shards=1 pin=False ", " cpus=none ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-m", "--backend nio"})
  void anAbstractNameIsRefusedBeforeAnyFileAppears(String jdk) {
    String name = "@penstock-" + UUID.randomUUID();

    Result run = InProcess.run("smoke " + jdk + " -s -c 1 -t 1 -u " + name);

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains("no abstract Unix sockets").hasLineCount(1);
    assertThat(Path.of(name)).doesNotExist();
  }

  private String leg(Where where) {
    return "-m " + (where == Where.UNIX ? "-u " + folder.resolve("smoke.sock") : "--port 0");
  }
}
