package io.penstock.shards;

import io.penstock.shards.core.AnyThread;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.net.CloseReason;
import io.penstock.shards.net.ConnectOptions;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ConnectionHandler;
import io.penstock.shards.net.ConnectionRef;
import io.penstock.shards.net.NetShard;
import io.penstock.shards.poller.ConnectRequest;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Takes connects to their shards, by way of the resolver where there are names. */
@AnyThread
final class Connector {
  private final Shard[] shards;
  private final HostResolver resolver;
  // Next shard for a connect; any thread may ask.
  private final AtomicInteger nextShard = new AtomicInteger();

  Connector(Shard[] shards, HostResolver resolver) {
    this.shards = shards;
    this.resolver = resolver;
  }

  /** On each shard in turn, but on none that stops while another goes on. */
  CompletionStage<ConnectionRef> connect(
      Endpoint endpoint, ConnectOptions options, ConnectionHandler handler) {
    int first = Math.floorMod(nextShard.getAndIncrement(), shards.length);
    for (int i = 0; i < shards.length; i++) {
      int shard = (first + i) % shards.length;
      if (!shards[shard].isStopping()) {
        return connect(shard, endpoint, options, handler);
      }
    }
    return connect(first, endpoint, options, handler);
  }

  /** As the group's connect. */
  CompletionStage<ConnectionRef> connect(
      int shard, Endpoint endpoint, ConnectOptions options, ConnectionHandler handler) {
    Objects.requireNonNull(endpoint, "endpoint");
    Objects.requireNonNull(handler, "handler");
    Objects.checkIndex(shard, shards.length);
    requireFittingLocal(endpoint, options.local());
    NetShard net = shards[shard].net();
    return resolver
        .resolve(endpoint)
        .thenCombine(
            resolver.resolve(options.local()),
            (remote, local) -> new ConnectRequest(remote, local, options.socket()))
        .handle((request, failure) -> attempt(net, request, failure, options, handler))
        .thenCompose(attempt -> decidedOn(shards[shard], attempt))
        .minimalCompletionStage();
  }

  /** What is to be done on the shard; it takes what to do once that is decided. */
  private static Consumer<Consumer<Connection>> attempt(
      NetShard net,
      ConnectRequest request,
      Throwable failure,
      ConnectOptions options,
      ConnectionHandler handler) {
    if (failure == null) {
      return onDecided -> net.connect(request, options, handler, onDecided);
    }
    IOException cause = Futures.ioCause(failure);
    return onDecided -> net.failConnect(cause, options, handler, onDecided);
  }

  private static CompletableFuture<ConnectionRef> decidedOn(
      Shard shard, Consumer<Consumer<Connection>> attempt) {
    CompletableFuture<ConnectionRef> opened = new CompletableFuture<>();
    try {
      shard.execute(() -> attempt.accept(connection -> decide(connection, opened)));
    } catch (RejectedExecutionException e) {
      opened.completeExceptionally(e);
    }
    return opened;
  }

  private static void requireFittingLocal(Endpoint remote, Endpoint local) {
    if (local != null && (local.isUnix() || remote.isUnix())) {
      throw new IllegalArgumentException(
          "only a TCP connection has a local address to choose, of TCP, too: from "
              + local
              + " to "
              + remote);
    }
  }

  private static void decide(Connection connection, CompletableFuture<ConnectionRef> opened) {
    CloseReason reason = connection.closeReason();
    if (reason == null) {
      opened.complete(connection.ref());
    } else {
      opened.completeExceptionally(new ConnectionFailedException(connection.toString(), reason));
    }
  }
}
