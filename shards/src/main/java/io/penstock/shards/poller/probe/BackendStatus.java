package io.penstock.shards.poller.probe;

import io.penstock.shards.core.Backend;

/**
 * Whether a backend can run in this process.
 *
 * @param reason why it cannot, in one sentence; empty if it can
 */
public record BackendStatus(Backend backend, boolean available, String reason) {

  public BackendStatus {
    if (available != reason.isEmpty()) {
      throw new IllegalArgumentException(
          backend + " is available: " + available + ", but the reason is '" + reason + "'");
    }
  }

  static BackendStatus available(Backend backend) {
    return new BackendStatus(backend, true, "");
  }

  static BackendStatus unavailable(Backend backend, String reason) {
    return new BackendStatus(backend, false, reason);
  }
}
