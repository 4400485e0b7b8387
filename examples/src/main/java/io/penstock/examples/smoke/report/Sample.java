package io.penstock.examples.smoke.report;

import com.sun.management.OperatingSystemMXBean;
import io.penstock.examples.smoke.count.Count;
import io.penstock.examples.smoke.count.Lanes;
import io.penstock.examples.smoke.wire.Leg;
import io.penstock.examples.smoke.wire.LegCost;
import java.lang.management.ManagementFactory;
import java.util.List;

/** What had been counted at some moment. */
public record Sample(
    long nanos,
    long returnedBytes,
    long echoedBytes,
    long receives,
    long receivedBytes,
    List<Long> returnedByLane,
    LegCost cost,
    long cpuNanos,
    long allocatedBytes) {
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  /** As it is now. */
  public static Sample of(Leg leg) {
    Lanes lanes = leg.lanes();
    return new Sample(
        System.nanoTime(),
        lanes.sum(Count.RETURNED_BYTES),
        lanes.sum(Count.ECHOED_BYTES),
        lanes.sum(Count.RECEIVES),
        lanes.sum(Count.RECEIVED_BYTES),
        lanes.byLane(Count.RETURNED_BYTES),
        leg.cost(),
        SYSTEM.getProcessCpuTime(),
        Allocation.bytes());
  }

  double secondsSince(Sample earlier) {
    return (nanos - earlier.nanos) / 1e9;
  }
}
