package io.penstock.shards.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Report;
import net.jqwik.api.Reporting;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;

/**
 * The pool against a list of what is out: no two owners share memory, the budget holds, everything
 * comes back. On failure jqwik prints the seed and the shrunk steps.
 */
class SegmentPoolPropertyTest {
  private static final long BUDGET_BYTES = 1 << 20;

  private enum Kind {
    LEASE,
    LEASE_LARGEST,
    RELEASE,
    RELEASE_ELSEWHERE,
    TAKE_RETURNS,
    RECOVER
  }

  private record Step(Kind kind, int sizeBytes, int which) {}

  @Property(tries = 300, shrinking = ShrinkingMode.BOUNDED, edgeCases = EdgeCasesMode.NONE)
  @Report(Reporting.FALSIFIED)
  void memoryHasOneOwnerAndTheBudgetHolds(@ForAll("steps") List<Step> steps)
      throws InterruptedException {
    Run run = new Run();
    for (Step step : steps) {
      run.apply(step);
    }
    run.end();
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Kind> kinds =
        Arbitraries.frequency(
            Tuple.of(12, Kind.LEASE),
            Tuple.of(2, Kind.LEASE_LARGEST),
            Tuple.of(6, Kind.RELEASE),
            Tuple.of(3, Kind.RELEASE_ELSEWHERE),
            Tuple.of(2, Kind.TAKE_RETURNS),
            Tuple.of(2, Kind.RECOVER));
    Arbitrary<Integer> sizes =
        Arbitraries.oneOf(
            Arbitraries.integers().between(0, 2_000),
            Arbitraries.integers().between(2_000, 600_000));
    return Combinators.combine(kinds, sizes, Arbitraries.integers().between(0, 1_000))
        .as(Step::new)
        .list()
        .ofMaxSize(80);
  }

  private record Lease(Segment segment, byte mark) {}

  private static final class Run {
    private final SegmentPool pool = new SegmentPool(direct -> 0, BUDGET_BYTES, () -> 0, () -> {});
    private final List<Lease> leases = new ArrayList<>();
    private final List<Segment> returning = new ArrayList<>();
    private byte nextMark = 1;
    private Integer leastRefusedBytes;

    Run() {
      pool.confineToCurrentThread();
    }

    void apply(Step step) throws InterruptedException {
      switch (step.kind()) {
        case LEASE -> lease(step.sizeBytes());
        case LEASE_LARGEST -> leased(pool.tryLeaseLargest(1 << 18, "property"), 1);
        case RELEASE -> {
          if (!leases.isEmpty()) {
            checked(step.which()).release();
          }
        }
        case RELEASE_ELSEWHERE -> {
          if (!leases.isEmpty()) {
            Segment segment = checked(step.which());
            returning.add(segment);
            Thread elsewhere = new Thread(segment::release);
            elsewhere.start();
            elsewhere.join();
          }
        }
        case TAKE_RETURNS -> {
          assertThat(pool.takeReturns()).isEqualTo(returning.size());
          returning.clear();
        }
        case RECOVER -> recover();
        default -> throw new AssertionError(step);
      }
      assertThat(pool.reservedBytes()).isLessThanOrEqualTo(BUDGET_BYTES);
      assertThat(pool.leasedCount()).isEqualTo(leases.size() + returning.size());
    }

    private void lease(int leastBytes) {
      leased(pool.tryLease(leastBytes, "property"), leastBytes);
    }

    private void leased(Segment segment, int leastBytes) {
      if (segment == null) {
        refused(leastBytes);
        returning.clear();
        return;
      }
      assertThat(segment.capacity()).isGreaterThanOrEqualTo(leastBytes);
      if (pool.leasedCount() != leases.size() + returning.size() + 1) {
        // They came home for this one.
        returning.clear();
      }
      mark(segment);
    }

    private void refused(int leastBytes) {
      leastRefusedBytes =
          leastRefusedBytes == null ? leastBytes : Math.min(leastRefusedBytes, leastBytes);
    }

    /** Recovered means that the least of what was refused can be had. */
    private void recover() {
      if (pool.tryRecover()) {
        assertThat(leastRefusedBytes).isNotNull();
        lease(leastRefusedBytes);
        assertThat(leases.get(leases.size() - 1).segment().capacity())
            .isGreaterThanOrEqualTo(leastRefusedBytes);
        leastRefusedBytes = null;
      }
    }

    private void mark(Segment segment) {
      byte mark = nextMark++;
      byte[] bytes = new byte[segment.capacity()];
      Arrays.fill(bytes, mark);
      assertThat(segment.append(bytes, 0, bytes.length)).isEqualTo(bytes.length);
      leases.add(new Lease(segment, mark));
    }

    /** Takes one of them out; nobody else has written into it. */
    private Segment checked(int which) {
      Lease lease = leases.remove(which % leases.size());
      for (byte b : lease.segment().toByteArray()) {
        if (b != lease.mark()) {
          throw new AssertionError("memory of " + lease.segment() + " was written by another");
        }
      }
      return lease.segment();
    }

    void end() {
      while (!leases.isEmpty()) {
        checked(0).release();
      }
      pool.takeReturns();
      assertThat(pool.leasedCount()).isZero();
    }
  }
}
