package io.penstock.shards;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Waiting for what a shard does. Never on a shard. */
final class Futures {
  private Futures() {}

  /** The result, or the failure as it was thrown. */
  static <T> T join(CompletableFuture<T> future) throws IOException {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting");
      interrupted.initCause(e);
      throw interrupted;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException runtime) {
        throw runtime;
      }
      throw ioCause(e);
    }
  }

  /** The cause of a failed future; as an I/O failure if it is another. */
  static IOException ioCause(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException || failure instanceof ExecutionException
            ? failure.getCause()
            : failure;
    return cause instanceof IOException io ? io : new IOException(cause.getMessage(), cause);
  }
}
