package io.penstock.shards.testing;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.shards.core.Backend;
import io.penstock.shards.poller.probe.BackendStatus;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

class ExpectedBackendsTest {
  private final BackendStatus missing =
      new BackendStatus(Backend.IO_URING, false, "the kernel says no");

  @Test
  void aBackendThatIsThereRunsWhateverIsExpected() {
    for (String list : new String[] {null, "nio", "io_uring"}) {
      assertThatCode(
              () ->
                  ExpectedBackends.parse(list)
                      .require(new BackendStatus(Backend.IO_URING, true, "")))
          .doesNotThrowAnyException();
    }
  }

  @Test
  void anExpectedBackendThatIsMissingFailsWithTheReason() {
    assertThatThrownBy(() -> ExpectedBackends.parse("nio, io_uring").require(missing))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("io_uring")
        .hasMessageContaining("the kernel says no");
  }

  @Test
  void anotherOneThatIsMissingIsSkippedWithTheReason() {
    for (String list : new String[] {null, "nio,epoll"}) {
      assertThatThrownBy(() -> ExpectedBackends.parse(list).require(missing))
          .isInstanceOf(TestAbortedException.class)
          .hasMessageContaining("the kernel says no");
    }
  }

  @Test
  void aListThatNamesNoBackendIsAnError() {
    for (String list : new String[] {"", "epol", "epoll,,nio"}) {
      assertThatIllegalArgumentException().isThrownBy(() -> ExpectedBackends.parse(list));
    }
  }
}
