package io.penstock.examples.smoke.count;

import java.util.Arrays;
import java.util.List;
import org.HdrHistogram.Histogram;

/** The tallies of all lanes. Any thread may read them. */
public final class Lanes {
  private final Tally[] tallies;

  public Lanes(int count) {
    tallies = new Tally[count];
    Arrays.setAll(tallies, i -> new Tally());
  }

  public int count() {
    return tallies.length;
  }

  public Tally tally(int lane) {
    return tallies[lane];
  }

  public long sum(Count count) {
    long sum = 0;
    for (Tally tally : tallies) {
      sum += tally.get(count);
    }
    return sum;
  }

  public List<Long> byLane(Count count) {
    return Arrays.stream(tallies).map(tally -> tally.get(count)).toList();
  }

  public long liveClients() {
    return sum(Count.CLIENTS_OPENED) - sum(Count.CLIENTS_CLOSED);
  }

  public long liveServers() {
    return sum(Count.SERVERS_OPENED) - sum(Count.SERVERS_CLOSED);
  }

  /** Connections that are open, both ends counted. */
  public long live() {
    return liveClients() + liveServers();
  }

  /** Connections that are over, both ends counted. */
  public long closed() {
    return sum(Count.CLIENTS_CLOSED) + sum(Count.SERVERS_CLOSED);
  }

  /** The times of all lanes since this was called last. */
  public Histogram takeTimes() {
    Histogram sum = RoundTripTimes.empty();
    for (Tally tally : tallies) {
      sum.add(tally.times().take());
    }
    return sum;
  }
}
