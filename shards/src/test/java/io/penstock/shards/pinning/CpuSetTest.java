package io.penstock.shards.pinning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CpuSetTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0          | 0",
        "0-3,5      | 0-3,5",
        " 5 , 0 - 3 | 0-3,5",
        "0,1,2,3    | 0-3",
        "0,2,4      | 0,2,4",
        "3,3,3-4    | 3-4",
        "0-8191     | 0-8191",
        "70         | 70"
      })
  void aListIsReadAndWrittenInTheKernelsFormat(String list, String formatted) {
    CpuSet cpus = CpuSet.parse(list);

    assertThat(cpus.format()).isEqualTo(formatted);
    assertThat(CpuSet.parse(formatted)).isEqualTo(cpus).hasSameHashCodeAs(cpus);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''         | CPU list '': '' is not a CPU number (expected e.g. 0-3,5)",
        "0,,1       | CPU list '0,,1': '' is not a CPU number (expected e.g. 0-3,5)",
        "none       | CPU list 'none': 'none' is not a CPU number (expected e.g. 0-3,5)",
        "-1         | CPU list '-1': '' is not a CPU number (expected e.g. 0-3,5)",
        "1-         | CPU list '1-': '' is not a CPU number (expected e.g. 0-3,5)",
        "1-2-3      | CPU list '1-2-3': '2-3' is not a CPU number (expected e.g. 0-3,5)",
        "3-1        | CPU list '3-1': range '3-1' runs backwards",
        "8192       | CPU list '8192': CPU 8192 is above the largest, 8191",
        "4294967296 | CPU list '4294967296': CPU 4294967296 is above the largest, 8191"
      })
  void aListThatCannotBeReadIsNamedInTheError(String list, String message) {
    assertThatThrownBy(() -> CpuSet.parse(list))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void positionsCountTheCpusInAscendingOrder() {
    CpuSet cpus = CpuSet.parse("2,5-6");

    assertThat(cpus.size()).isEqualTo(3);
    assertThat(new int[] {cpus.nth(0), cpus.nth(1), cpus.nth(2)}).containsExactly(2, 5, 6);
    assertThat(cpus.stream()).containsExactly(2, 5, 6);
    assertThatThrownBy(() -> cpus.nth(3))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessage("position 3 in the 3 CPUs 2,5-6");
    assertThatThrownBy(() -> cpus.nth(-1)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void setsAreCombinedIntoNewOnes() {
    CpuSet some = CpuSet.of(0, 1, 2);
    CpuSet others = CpuSet.of(2, 3);

    assertThat(some.minus(others)).isEqualTo(CpuSet.of(0, 1));
    assertThat(some.intersect(others)).isEqualTo(CpuSet.of(2));
    assertThat(some.minus(some).isEmpty()).isTrue();
    assertThat(some.minus(some)).hasToString("none");
    assertThat(some).isEqualTo(CpuSet.firstN(3)).isNotEqualTo(others);
    assertThat(some.contains(2)).isTrue();
    assertThat(some.contains(3)).isFalse();
    assertThat(some.contains(-1)).isFalse();
  }

  @Test
  void aSetDoesNotChangeWithTheBitsItWasMadeFromOrGaveAway() {
    BitSet bits = new BitSet();
    bits.set(4);
    CpuSet cpus = CpuSet.of(bits);

    bits.set(5);
    cpus.toBitSet().set(6);

    assertThat(cpus).isEqualTo(CpuSet.of(4));
  }

  @Test
  void numbersThatNoCpuHasAreRefused() {
    assertThatThrownBy(() -> CpuSet.of(1, -2)).hasMessage("CPU -2 is not between 0 and 8191");
    assertThatThrownBy(() -> CpuSet.of(8192)).hasMessage("CPU 8192 is not between 0 and 8191");
  }
}
