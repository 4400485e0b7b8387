package io.penstock.shards.poller;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.SocketOptions;
import java.util.Objects;

/**
 * A socket to connect.
 *
 * @param remote resolved
 * @param local where to connect from, or null to let the kernel choose
 * @param options set before it is bound or connected
 */
public record ConnectRequest(Endpoint remote, Endpoint local, SocketOptions options) {
  public ConnectRequest {
    Objects.requireNonNull(remote, "remote");
    Objects.requireNonNull(options, "options");
  }
}
