package io.penstock.examples.smoke.wire;

/**
 * What carrying has cost so far.
 *
 * @param systemCalls calls for I/O, as far as they can be told
 * @param wakeUps times a thread had to wake one that slept
 * @param parks times a thread went to sleep for want of work
 * @param stalls turns of shards that took longer than they should
 */
public record LegCost(long systemCalls, long wakeUps, long parks, long stalls) {

  public LegCost since(LegCost earlier) {
    return new LegCost(
        systemCalls - earlier.systemCalls,
        wakeUps - earlier.wakeUps,
        parks - earlier.parks,
        stalls - earlier.stalls);
  }
}
