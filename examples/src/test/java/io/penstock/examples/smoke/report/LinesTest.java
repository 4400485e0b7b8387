package io.penstock.examples.smoke.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.examples.smoke.options.LegKind;
import io.penstock.examples.smoke.options.SmokeOptions;
import io.penstock.examples.smoke.wire.Effective;
import io.penstock.examples.smoke.wire.LegCost;
import io.penstock.shards.core.Endpoint;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class LinesTest {
  private static final long SECOND = 1_000_000_000;

  private final Sample start = sample(0, 0, 0, 0, 0);
  private final Sample second = sample(SECOND, 6_400_000, 6_404_096, 200_000, 12_804_096);
  private final Sample third = sample(2 * SECOND, 19_200_000, 19_204_096, 600_000, 38_404_096);

  @Test
  void theBannerHasTheFieldsOfTheOriginalWithWhatReallyRuns() {
    Effective effective =
        new Effective("epoll", 2, 2, "0,1", 50, 0, List.of("not io_uring: forbidden by seccomp"));

    assertThat(Lines.banner(options(Endpoint.tcp("127.0.0.1", 10_000), 64), effective))
        .containsExactly(
            "backend=epoll transport=tcp mode=pipeline(window=64) size=64 shards=2 pin=True"
                + " poke=False cpus=0,1 spin=50us",
            "note: not io_uring: forbidden by seccomp");
  }

  @Test
  void theBannerOfTheControlSaysThatNothingIsShardedOrPinned() {
    Effective effective = new Effective("managed", 1, 0, "none", 0, 2, List.of());

    assertThat(Lines.banner(options(new Endpoint.UnixPath("/x"), 1), effective))
        .containsExactly(
            "backend=managed transport=uds mode=ping/pong size=64 shards=1 pin=False poke=False"
                + " cpus=none spin=0us workers=2");
  }

  @Test
  void shardsThatCouldNotBePinnedAreNotCalledPinned() {
    assertThat(new Effective("nio", 4, 3, "0,1,0", 0, 0, List.of()).pin()).isEqualTo("3/4");
  }

  @Test
  void aSecondHasTheTotalsOfTheOriginalAndTheRatesOfThatSecond() {
    assertThat(Lines.second(start, second, third, 64, 64, 128))
        .isEqualTo(
            "[    2s] conns=64 round-trips=     19,200,000 bytes (    12.2 MiB/s)  echoed="
                + "     19,204,096  rt/s=    200,000  recv=    400,000 avg=64 bytes/recv  live=128");
  }

  @Test
  void theLastLinesHaveTheTotalsOfTheOriginal() {
    assertThat(Lines.done(start, third, 64))
        .isEqualTo(
            "done: 19,200,000 round-trip bytes over 2.0s across 64 connection(s), echoed"
                + " 19,204,096 bytes");
    assertThat(Lines.received(third))
        .isEqualTo("recv: 600,000 completions, 38,404,096 bytes, avg 64 bytes/recv");
  }

  @Test
  void aRunWithoutAnyByteDividesByNothing() {
    assertThat(Lines.second(start, start, sample(SECOND, 0, 0, 0, 0), 64, 1, 2))
        .contains("rt/s=          0", "avg=0 bytes/recv");
    assertThat(Lines.received(start)).endsWith("avg 0 bytes/recv");
  }

  @Test
  void whatIsLeftOpenIsALeak() {
    Ending clean = new Ending(0, 0, 0, OptionalInt.of(7), OptionalInt.of(7));
    Ending leak = new Ending(1, 0, 0, OptionalInt.of(7), OptionalInt.of(8));

    assertThat(clean.line())
        .isEqualTo(
            "end: live=0 (client=0 server=0) segments-out=0 open-fds=7 (7 at the start) => clean");
    assertThat(clean.isClean()).isTrue();
    assertThat(leak.line()).contains("live=1 (client=1 server=0)").endsWith("=> LEAK");
    assertThat(new Ending(0, 0, 0, OptionalInt.of(7), OptionalInt.of(8)).isClean()).isFalse();
    assertThat(new Ending(0, 0, 1, OptionalInt.empty(), OptionalInt.empty()).isClean()).isFalse();
    assertThat(new Ending(0, 0, 0, OptionalInt.empty(), OptionalInt.empty()).line())
        .contains("open-fds=unknown");
  }

  private static Sample sample(
      long nanos, long returned, long echoed, long receives, long received) {
    LegCost none = new LegCost(0, 0, 0, 0);
    return new Sample(nanos, returned, echoed, receives, received, List.of(returned), none, 0, 0);
  }

  private static SmokeOptions options(Endpoint endpoint, long window) {
    return new SmokeOptions(
        LegKind.AUTO,
        true,
        64,
        5,
        1,
        1_000,
        endpoint,
        4,
        true,
        Optional.empty(),
        4096,
        OptionalInt.empty(),
        0,
        64,
        window,
        false,
        false,
        0,
        0,
        0,
        1,
        0,
        false,
        false);
  }
}
