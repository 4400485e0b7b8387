package io.penstock.shards.testing;

import io.penstock.shards.core.Backend;
import io.penstock.shards.poller.probe.BackendStatus;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.opentest4j.TestAbortedException;

/**
 * The backends that whoever runs the tests says must be there.
 *
 * @param named those in the list; empty when no list was given
 */
record ExpectedBackends(Set<Backend> named) {
  static final String VARIABLE = "PENSTOCK_EXPECTED_BACKENDS";

  static ExpectedBackends ofEnvironment() {
    return parse(System.getenv(VARIABLE));
  }

  /** Reads {@code io_uring,epoll,nio}; null is no list. */
  static ExpectedBackends parse(String list) {
    EnumSet<Backend> named = EnumSet.noneOf(Backend.class);
    if (list != null) {
      Arrays.stream(list.split(",", -1)).map(String::strip).map(Backend::parse).forEach(named::add);
    }
    return new ExpectedBackends(named);
  }

  /** Fails the test for want of an expected backend; skips it for want of another. */
  void require(BackendStatus status) {
    if (status.available()) {
      return;
    }
    if (named.contains(status.backend())) {
      throw new AssertionError(
          status.backend() + " is expected by " + VARIABLE + " but cannot run: " + status.reason());
    }
    throw new TestAbortedException(status.backend() + " cannot run here: " + status.reason());
  }
}
