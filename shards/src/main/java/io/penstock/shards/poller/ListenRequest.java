package io.penstock.shards.poller;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.SocketOptions;
import java.util.Objects;

/**
 * A socket to bind.
 *
 * @param endpoint resolved
 * @param backlog connections that may wait to be accepted; the kernel caps it (listen(2))
 * @param options for the listening socket, before it is bound
 * @param acceptedOptions for each accepted socket
 * @param unixMode permission bits of a Unix socket's file
 * @param replaceStaleFile whether a Unix socket's file that nobody listens on is deleted first
 */
public record ListenRequest(
    Endpoint endpoint,
    int backlog,
    SocketOptions options,
    SocketOptions acceptedOptions,
    int unixMode,
    boolean replaceStaleFile) {
  public ListenRequest {
    Objects.requireNonNull(endpoint, "endpoint");
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(acceptedOptions, "acceptedOptions");
  }
}
