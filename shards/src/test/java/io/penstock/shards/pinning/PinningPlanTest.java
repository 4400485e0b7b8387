package io.penstock.shards.pinning;

import static io.penstock.shards.pinning.PinningMode.AUTO;
import static io.penstock.shards.pinning.PinningMode.OFF;
import static io.penstock.shards.pinning.PinningMode.ON;
import static io.penstock.shards.pinning.PinningPlan.UNPINNED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules as tables: what was asked, what the system says, what comes of it. */
class PinningPlanTest {
  private static final String NOT_SPINNING =
      "not spinning by default: the shards do not have whole CPUs to themselves";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // requested | allowed | processors | shards
        "0 | 0-3 | 4 | 4",
        "0 | 1   | 1 | 1",
        "0 | 0-1 | 1 | 1",
        "0 | 0-1 | 4 | 2",
        "3 | 0-1 | 2 | 3",
        "1 | 0-7 | 8 | 1"
      })
  void automaticIsTheSmallerOfAllowedCpusAndProcessors(
      int requested, String allowed, int processors, int shards) {
    PinningPlan plan = PinningPlan.of(inputs(requested, AUTO).allowed(allowed, processors).get());

    assertThat(plan.shardCount()).isEqualTo(shards);
  }

  @Test
  void automaticPinsAndSpinsWhereEachShardHasAWholeCpu() {
    PinningPlan plan = PinningPlan.of(inputs(0, AUTO).allowed("2,5", 2).get());

    assertThat(plan).isEqualTo(new PinningPlan(2, List.of(2, 5), true, List.of()));
    assertThat(plan.pinned()).isTrue();
    assertThat(plan.cpu(1)).isEqualTo(5);
    assertThat(plan.cpus()).isEqualTo(CpuSet.of(2, 5));
    assertThat(plan.describe()).isEqualTo("2 shards pinned to CPUs 2,5, spinning");
  }

  @Test
  void fewerShardsThanCpusArePinnedToTheFirst() {
    PinningPlan plan = PinningPlan.of(inputs(1, AUTO).allowed("1-3", 3).get());

    assertThat(plan.cpuOfShard()).containsExactly(1);
    assertThat(plan.describe()).isEqualTo("1 shard pinned to CPU 1, spinning");
  }

  @Test
  void theJvmsOwnLimitDecidesTheNumberAndIsNoted() {
    PinningPlan plan = PinningPlan.of(inputs(0, AUTO).allowed("0-1", 1).get());

    assertThat(plan.cpuOfShard()).containsExactly(0);
    assertThat(plan.notes())
        .containsExactly("1 shard for 2 allowed CPUs, since the JVM reports 1 processor");
  }

  @Test
  void aQuotaBelowTheAllowedCpusForbidsAutomaticPinningAndSpinning() {
    PinningPlan plan = PinningPlan.of(inputs(0, AUTO).allowed("0-3", 2).quota(1.5).get());

    assertThat(plan.cpuOfShard()).containsExactly(UNPINNED, UNPINNED);
    assertThat(plan.pinned()).isFalse();
    assertThat(plan.cpus().isEmpty()).isTrue();
    assertThat(plan.spinsByDefault()).isFalse();
    assertThat(plan.notes())
        .containsExactly(
            "2 shards for 4 allowed CPUs, since the JVM reports 2 processors",
            "not pinned: CFS quota of 1.5 CPUs is below the 4 allowed CPUs",
            NOT_SPINNING);
    assertThat(plan.describe()).isEqualTo("2 shards unpinned, not spinning");
  }

  @ParameterizedTest
  @CsvSource({"2, true", "4, true", "1.99, false", "1, false"})
  void aQuotaThatCoversTheAllowedCpusIsNoLimit(double quota, boolean pinned) {
    PinningPlan plan = PinningPlan.of(inputs(1, AUTO).allowed("0-1", 2).quota(quota).get());

    assertThat(plan.pinned()).isEqualTo(pinned);
    assertThat(plan.spinsByDefault()).isEqualTo(pinned);
  }

  @Test
  void moreShardsThanCpusAreNotPinnedByThemselves() {
    PinningPlan plan = PinningPlan.of(inputs(2, AUTO).allowed("1", 1).get());

    assertThat(plan.cpuOfShard()).containsExactly(UNPINNED, UNPINNED);
    assertThat(plan.notes())
        .containsExactly("not pinned: 2 shards on 1 allowed CPU 1", NOT_SPINNING);
  }

  @Test
  void pinsWrapInsideTheAllowedCpusWhenAsked() {
    PinningPlan plan = PinningPlan.of(inputs(5, ON).allowed("1,3", 2).get());

    assertThat(plan.cpuOfShard()).containsExactly(1, 3, 1, 3, 1);
    assertThat(plan.spinsByDefault()).isFalse();
    assertThat(plan.notes()).containsExactly("5 shards on 2 CPUs: pins wrap", NOT_SPINNING);
  }

  @Test
  void askedPinsHoldUnderAQuotaWithoutSpinning() {
    PinningPlan plan = PinningPlan.of(inputs(1, ON).allowed("0-1", 1).quota(1).get());

    assertThat(plan.cpuOfShard()).containsExactly(0);
    assertThat(plan.spinsByDefault()).isFalse();
    assertThat(plan.notes())
        .contains("pinned although the CFS quota of 1 CPU is below the 2 allowed CPUs");
  }

  @Test
  void offPinsNothingAndMaySpin() {
    PinningPlan plan = PinningPlan.of(inputs(2, OFF).allowed("0-1", 2).get());

    assertThat(plan.pinned()).isFalse();
    assertThat(plan.spinsByDefault()).isTrue();
    assertThat(plan.notes()).containsExactly("not pinned: pinning is off");
  }

  @Test
  void namedCpusArePinnedToInAutomaticModeAndDecideTheNumber() {
    PinningPlan plan = PinningPlan.of(inputs(0, AUTO).explicit("1,3").allowed("0-3", 4).get());

    assertThat(plan.cpuOfShard()).containsExactly(1, 3);
    assertThat(plan.spinsByDefault()).isTrue();
    assertThat(plan.notes()).isEmpty();
  }

  @Test
  void moreShardsThanNamedCpusWrapAndFewerLeaveTheRest() {
    assertThat(PinningPlan.of(inputs(3, AUTO).explicit("0-1").allowed("0-3", 4).get()).cpuOfShard())
        .containsExactly(0, 1, 0);
    assertThat(PinningPlan.of(inputs(1, AUTO).explicit("2-3").allowed("0-3", 4).get()).cpuOfShard())
        .containsExactly(2);
  }

  @Test
  void aNamedCpuOutsideOfTheAllowedOnesIsAnErrorThatNamesBoth() {
    assertThatThrownBy(() -> PinningPlan.of(inputs(0, AUTO).explicit("7").allowed("0-1", 2).get()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("cannot pin to CPU 7: this process may use only 0-1 (from a test)");
    assertThatThrownBy(
            () -> PinningPlan.of(inputs(1, ON).explicit("0,6-7").allowed("0-1", 2).get()))
        .hasMessage("cannot pin to CPUs 6-7: this process may use only 0-1 (from a test)");
  }

  @Test
  void whereNoThreadCanBePinnedTheReasonIsGiven() {
    PinningPlan automatic =
        PinningPlan.of(inputs(0, AUTO).allowed("0-1", 2).nativeUnavailable("no JNA").get());
    assertThat(automatic.pinned()).isFalse();
    assertThat(automatic.spinsByDefault()).isTrue();
    assertThat(automatic.notes()).containsExactly("not pinned: no JNA");

    PinningPlan asked =
        PinningPlan.of(inputs(0, ON).allowed("0-1", 2).nativeUnavailable("no JNA").get());
    assertThat(asked.pinned()).isFalse();
    assertThat(asked.notes()).containsExactly("not pinned though asked: no JNA");
  }

  @Test
  void guessedCpusArePinnedToOnlyWhenAskedAndForbidNothing() {
    PinningPlan automatic = PinningPlan.of(inputs(0, AUTO).guessed(2).get());
    assertThat(automatic.pinned()).isFalse();
    assertThat(automatic.spinsByDefault()).isFalse();
    assertThat(automatic.notes())
        .containsExactly(
            "the allowed CPUs are not known, assuming 0-1: nobody told",
            "not pinned: the allowed CPUs are not known",
            NOT_SPINNING);

    assertThat(PinningPlan.of(inputs(1, AUTO).explicit("5").guessed(2).get()).cpuOfShard())
        .containsExactly(5);
  }

  @Test
  void cpusThatNoOtherGroupHoldsAreTakenFirst() {
    assertThat(PinningPlan.of(inputs(1, AUTO).allowed("0-2", 3).claimed("0").get()).cpuOfShard())
        .containsExactly(1);
    PinningPlan asked = PinningPlan.of(inputs(3, ON).allowed("0-2", 3).claimed("0").get());
    assertThat(asked.cpuOfShard()).containsExactly(1, 2, 0);
    assertThat(asked.notes())
        .containsExactly("CPU 0 shared with another group of this JVM", NOT_SPINNING);
  }

  @Test
  void automaticDoesNotPinWhereOtherGroupsLeaveTooFewCpus() {
    PinningPlan plan = PinningPlan.of(inputs(0, AUTO).allowed("0-1", 2).claimed("0").get());

    assertThat(plan.pinned()).isFalse();
    assertThat(plan.spinsByDefault()).isFalse();
    assertThat(plan.notes())
        .containsExactly(
            "not pinned: 2 shards, but of the allowed CPUs 0-1"
                + " other groups of this JVM are pinned to 0",
            NOT_SPINNING);
  }

  @Test
  void anUnpinnedGroupDoesNotSpinOnCpusThatOthersHold() {
    PinningPlan plan = PinningPlan.of(inputs(1, OFF).allowed("0-1", 2).claimed("0-1").get());

    assertThat(plan.spinsByDefault()).isFalse();
  }

  @Test
  void problemsOfTheQuotaAreNotes() {
    CpuQuota unreadable = new CpuQuota(OptionalDouble.empty(), List.of("odd"));

    assertThat(PinningPlan.of(inputs(1, AUTO).allowed("0", 1).quota(unreadable).get()).notes())
        .containsExactly("odd");
  }

  @Test
  void contradictionsAreRefusedBeforeThereIsAPlan() {
    assertThatThrownBy(() -> inputs(-1, AUTO).get())
        .hasMessage("shards must be 1 or more, or 0 for automatic, but is -1");
    assertThatThrownBy(() -> inputs(1, OFF).explicit("0").get())
        .hasMessage("CPUs 0 to pin to were given, but pinning is off");
    assertThatThrownBy(() -> inputs(1, ON).explicit(CpuSet.of()).get())
        .hasMessage("the set of CPUs to pin to is empty");
    assertThatThrownBy(() -> inputs(1, ON).allowed("0", 0).get())
        .hasMessage("availableProcessors is 0");
  }

  private static Inputs inputs(int requestedShards, PinningMode mode) {
    return new Inputs(requestedShards, mode);
  }

  /** A system with two whole CPUs, unless said otherwise. */
  private static final class Inputs {
    private final int requestedShards;
    private final PinningMode mode;
    private CpuSet explicit;
    private AllowedCpus allowed = new AllowedCpus(CpuSet.of(0, 1), true, "a test");
    private int processors = 2;
    private CpuQuota quota = CpuQuota.none();
    private String nativeUnavailable;
    private CpuSet claimed = CpuSet.of();

    Inputs(int requestedShards, PinningMode mode) {
      this.requestedShards = requestedShards;
      this.mode = mode;
    }

    Inputs explicit(String cpus) {
      return explicit(CpuSet.parse(cpus));
    }

    Inputs explicit(CpuSet cpus) {
      explicit = cpus;
      return this;
    }

    Inputs allowed(String cpus, int availableProcessors) {
      allowed = new AllowedCpus(CpuSet.parse(cpus), true, "a test");
      processors = availableProcessors;
      return this;
    }

    Inputs guessed(int availableProcessors) {
      allowed = new AllowedCpus(CpuSet.firstN(availableProcessors), false, "nobody told");
      processors = availableProcessors;
      return this;
    }

    Inputs quota(double cpus) {
      return quota(CpuQuota.of(cpus));
    }

    Inputs quota(CpuQuota given) {
      quota = given;
      return this;
    }

    Inputs nativeUnavailable(String reason) {
      nativeUnavailable = reason;
      return this;
    }

    Inputs claimed(String cpus) {
      claimed = CpuSet.parse(cpus);
      return this;
    }

    PinningInputs get() {
      return new PinningInputs(
          requestedShards, mode, explicit, allowed, processors, quota, nativeUnavailable, claimed);
    }
  }
}
