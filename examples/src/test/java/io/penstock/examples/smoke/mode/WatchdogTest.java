package io.penstock.examples.smoke.mode;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.examples.smoke.count.Count;
import io.penstock.examples.smoke.count.Lanes;
import io.penstock.examples.smoke.count.Tally;
import io.penstock.examples.smoke.wire.Effective;
import io.penstock.examples.smoke.wire.Leg;
import io.penstock.examples.smoke.wire.LegCost;
import io.penstock.examples.smoke.wire.Peer;
import io.penstock.examples.smoke.wire.Remote;
import io.penstock.shards.core.Endpoint;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WatchdogTest {
  private final Lanes lanes = new Lanes(2);
  private final Tally tally = lanes.tally(1);
  private final CountingLeg leg = new CountingLeg();
  private final Watchdog watchdog = new Watchdog();

  @BeforeEach
  void twoConnectionsBetweenClientsAndServersOfThisProcess() {
    tally.add(Count.CLIENTS_OPENED, 2);
    tally.add(Count.SERVERS_OPENED, 2);
    tally.add(Count.RECEIVED_BYTES, 1_000);
  }

  @Test
  void aWedgeIsNamedOnceNothingHasMovedForTwoSeconds() {
    tally.add(Count.CLIENTS_FILLED, 2);
    tally.add(Count.SERVERS_FILLED, 2);

    assertThat(checkAfterMillis(0)).isNull();
    assertThat(checkAfterMillis(1_999)).isNull();
    assertThat(checkAfterMillis(2_000))
        .startsWith("wedge: no byte moved for 2.0s while all 2 client(s) are full")
        .contains("2 of 2 server end(s) are full, too", "7 segments out", "give --window N");
  }

  @Test
  void aByteThatMovesStartsTheTwoSecondsAnew() {
    tally.add(Count.CLIENTS_FILLED, 2);

    assertThat(checkAfterMillis(0)).isNull();
    tally.add(Count.RECEIVED_BYTES, 1);
    assertThat(checkAfterMillis(1_900)).isNull();
    assertThat(checkAfterMillis(3_800)).isNull();
    assertThat(checkAfterMillis(3_900)).isNotNull();
  }

  @Test
  void aClientThatCouldSendIsNoWedge() {
    tally.add(Count.CLIENTS_FILLED, 2);
    tally.add(Count.CLIENTS_FREED, 1);

    assertThat(checkAfterMillis(0)).isNull();
    assertThat(checkAfterMillis(60_000)).isNull();
  }

  @Test
  void withoutClientsThereIsNoWedge() {
    tally.add(Count.CLIENTS_CLOSED, 2);

    assertThat(checkAfterMillis(0)).isNull();
    assertThat(checkAfterMillis(60_000)).isNull();
  }

  @Test
  void aServerOfAnotherProcessIsSaidToBeUnknown() {
    tally.add(Count.SERVERS_CLOSED, 2);
    tally.add(Count.CLIENTS_FILLED, 2);

    assertThat(checkAfterMillis(0)).isNull();
    assertThat(checkAfterMillis(2_500)).contains("the server is another process");
  }

  private String checkAfterMillis(long millis) {
    return watchdog.check(TimeUnit.MILLISECONDS.toNanos(millis), leg);
  }

  /** Carries nothing; has tallies, and seven segments that are out. */
  private final class CountingLeg implements Leg {
    @Override
    public Effective effective() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Lanes lanes() {
      return lanes;
    }

    @Override
    public Endpoint listen(Endpoint endpoint, Supplier<? extends Peer> servers) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Adopted adopt(Endpoint endpoint, Supplier<? extends Peer> servers) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Remote> connect(Endpoint endpoint, Supplier<? extends Peer> clients) {
      throw new UnsupportedOperationException();
    }

    @Override
    public LegCost cost() {
      throw new UnsupportedOperationException();
    }

    @Override
    public long segmentsOut() {
      return 7;
    }

    @Override
    public void close() {
      // Holds nothing.
    }
  }
}
