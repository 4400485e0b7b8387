package io.penstock.shards.testing;

import io.penstock.shards.net.CloseReason;
import io.penstock.shards.net.WriteAck;
import java.util.ArrayList;
import java.util.List;

/** Makes numbered acks and notes in which order they are told, and how. */
public final class RecordingAcks {
  // Guarded by this: told on the shard, asked for by the test.
  private final List<Integer> written = new ArrayList<>();
  private final List<Integer> failed = new ArrayList<>();
  private CloseReason reason;

  /** The ack of the write of that number. */
  public WriteAck ack(int number) {
    return new WriteAck() {
      @Override
      public void onWritten() {
        note(written, number);
      }

      @Override
      public void onFailed(CloseReason why) {
        note(failed, number);
        synchronized (RecordingAcks.this) {
          reason = why;
        }
      }
    };
  }

  private synchronized void note(List<Integer> outcome, int number) {
    outcome.add(number);
  }

  /** The numbers of the writes that left, in the order in which that was told. */
  public synchronized List<Integer> written() {
    return List.copyOf(written);
  }

  /** Those that did not. */
  public synchronized List<Integer> failed() {
    return List.copyOf(failed);
  }

  /** Why the last one of those did not. */
  public synchronized CloseReason reason() {
    return reason;
  }

  /** Acks told so far. */
  public synchronized int told() {
    return written.size() + failed.size();
  }
}
