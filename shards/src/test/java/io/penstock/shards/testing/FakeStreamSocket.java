package io.penstock.shards.testing;

import io.penstock.shards.core.Endpoint;
import io.penstock.shards.core.PeerCredentials;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.memory.SegmentQueue;
import io.penstock.shards.poller.IoResult;
import io.penstock.shards.poller.SocketEvents;
import io.penstock.shards.poller.StreamSocket;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A socket of a {@link FakePoller}. The test says what the peer sends and how much of a write the
 * kernel takes; the socket says what reached the peer, and records each use that the contract of
 * {@link StreamSocket} forbids.
 *
 * <p>What the peer does here is told by the next poll. Without a word of the test a write is taken
 * whole and nothing is received.
 */
public final class FakeStreamSocket implements StreamSocket {
  /** What one receive finds. */
  private sealed interface Arrival {}

  private record Bytes(ByteBuffer bytes) implements Arrival {}

  private record Result(int result) implements Arrival {}

  private final FakePoller poller;
  private final Deque<Arrival> arrivals = new ArrayDeque<>();
  private final Deque<Long> writeResults = new ArrayDeque<>();
  private final ByteArrayOutputStream peerGot = new ByteArrayOutputStream();
  private final List<String> violations = new ArrayList<>();
  private SocketEvents events;
  private Endpoint remote;
  private SegmentQueue inFlight;
  private Integer completeNextWrite;
  private RuntimeException writeDefect;
  private int connectResult;
  private int unseenBreak;
  private int receiveLimit = Integer.MAX_VALUE;
  private int receives;
  private int writes;
  private int reads;
  // What the kernel received by itself and nobody had the memory to take.
  private final Deque<byte[]> refused = new ArrayDeque<>();
  private Segment lastLent;
  private boolean receiveWanted;
  private boolean unboundedWanted;
  private boolean writableWanted;
  private boolean finished;
  private IOException finishFailure;
  private boolean closed;
  private boolean reset;
  private boolean discarded;
  private boolean holdsRelease;
  private boolean released;

  public FakeStreamSocket(FakePoller poller) {
    this.poller = poller;
  }

  /** Answers that to who asks how the connect stands. */
  public FakeStreamSocket connecting(int result) {
    connectResult = result;
    return this;
  }

  FakeStreamSocket attach(SocketEvents newEvents, Endpoint newRemote) {
    if (events != null) {
      violations.add("adopted twice");
    }
    events = newEvents;
    remote = newRemote;
    return this;
  }

  void discarded(boolean withReset) {
    discarded = true;
    reset = withReset;
  }

  // --- what the test makes the kernel do ---

  /** The connect ends. */
  public void connectEnds(int result) {
    connectResult = result;
    tell(() -> events.onConnected(result));
  }

  /** Bytes of the stream that the next receives find; told by the next poll. */
  public void arrive(byte[] bytes) {
    stage(bytes);
    tell(() -> events.onReadable(false));
  }

  /** From now on no receive brings more than that. */
  public void receiveAtMost(int bytes) {
    receiveLimit = bytes;
  }

  /** As {@link #arrive}, without an event: found by who receives anyway. */
  public void stage(byte[] bytes) {
    arrivals.add(new Bytes(ByteBuffer.wrap(bytes)));
  }

  /** The peer finishes, behind what is staged; one event for both. */
  public void peerFinishes() {
    arrivals.add(new Result(0));
    tell(() -> events.onReadable(true));
  }

  /** The next receive fails, behind what is staged. */
  public void receiveFails(int result) {
    arrivals.add(new Result(result));
    tell(() -> events.onReadable(true));
  }

  /** The connection is broken; nothing tells of it, only who looks. */
  public void breaksUnseen(int result) {
    unseenBreak = result;
  }

  /** Tells that something can be received, whether or not that is so. */
  public void tellReadable(boolean ended) {
    tell(() -> events.onReadable(ended));
  }

  /** The kernel has received into memory of its own. */
  public void receiveInto(Segment lent, byte[] bytes) {
    lastLent = lent;
    refused.add(bytes);
    offerRefused();
  }

  /** Offers what was received and not taken, in order, until it is refused. */
  private void offerRefused() {
    while (!refused.isEmpty()) {
      byte[] bytes = refused.peekFirst();
      lastLent.range(0, 0);
      lastLent.append(bytes, 0, bytes.length);
      if (!events.onReceived(lastLent)) {
        return;
      }
      refused.removeFirst();
    }
  }

  /** A receive of the kernel's ends. */
  public void receiveEnds(int result) {
    tell(() -> events.onReceiveEnded(result));
  }

  /** The next write takes so many bytes, or answers so; once for each call. */
  public void nextWrite(long result) {
    writeResults.add(result);
  }

  /** Forgets what the next writes were to be answered. */
  public void takeAllFromNowOn() {
    writeResults.clear();
  }

  /** There is room again. */
  public void becomeWritable() {
    tell(() -> events.onWritable());
  }

  /** The pending write ends: so many bytes taken, or a failure. */
  public void completeWrite(int result) {
    tell(
        () -> {
          SegmentQueue written = inFlight;
          inFlight = null;
          if (result > 0) {
            take(written, result);
          }
          events.onWritten(result);
          if (closed && !released && !holdsRelease) {
            release();
          }
        });
  }

  /** As {@link #completeWrite}, as soon as a write is pending. */
  public void completeWriteOnceItIsPending(int result) {
    completeNextWrite = result;
  }

  /** The next write throws, as a socket never should. */
  public void nextWriteThrows(RuntimeException defect) {
    writeDefect = defect;
  }

  /** The kernel notices by itself. */
  public void breaks(int result) {
    tell(() -> events.onBroken(result));
  }

  /** The next finish fails. */
  public void failFinish(IOException cause) {
    finishFailure = cause;
  }

  /** From now on a close is not over until {@link #letGo()}. */
  public void holdRelease() {
    holdsRelease = true;
  }

  /** The kernel lets go of a closed socket. */
  public void letGo() {
    holdsRelease = false;
    tell(this::release);
  }

  private void tell(Runnable event) {
    poller.deliver(event);
  }

  private void release() {
    if (released) {
      violations.add("released twice");
    }
    released = true;
    events.onReleased();
  }

  // --- what the test learns ---

  /** All that reached the peer. */
  public byte[] peerGot() {
    return peerGot.toByteArray();
  }

  /** Uses that the contract forbids; empty if all is well. */
  public List<String> violations() {
    return violations;
  }

  /** Bytes of the write that is in flight; 0 for none. */
  public long inFlightBytes() {
    return inFlight == null ? 0 : gatherBytes(inFlight);
  }

  /** True if a receive would find nothing. */
  public boolean isDrained() {
    return arrivals.isEmpty();
  }

  /** Receives that were tried. */
  public int receives() {
    return receives;
  }

  /** Receives that brought bytes. */
  public int reads() {
    return reads;
  }

  /** Writes that were tried. */
  public int writes() {
    return writes;
  }

  public boolean isReceiveWanted() {
    return receiveWanted;
  }

  public boolean isUnboundedWanted() {
    return unboundedWanted;
  }

  public boolean isWritableWanted() {
    return writableWanted;
  }

  /** The peer was told that nothing more comes. */
  public boolean isFinished() {
    return finished;
  }

  public boolean isClosed() {
    return closed;
  }

  /** Closed or discarded with a reset. */
  public boolean isReset() {
    return reset;
  }

  /** Thrown away before it was adopted. */
  public boolean isDiscarded() {
    return discarded;
  }

  // --- the socket ---

  @Override
  public int connectResult() {
    return connectResult;
  }

  @Override
  public void wantReceive(boolean wanted, boolean unbounded) {
    requireOpen("wantReceive");
    receiveWanted = wanted;
    unboundedWanted = unbounded;
    if (wanted && !refused.isEmpty()) {
      tell(this::offerRefused);
    }
  }

  @Override
  public int receive(Segment into) {
    requireOpen("receive");
    receives++;
    Arrival arrival = arrivals.pollFirst();
    if (arrival == null) {
      return IoResult.WOULD_BLOCK;
    }
    if (arrival instanceof Result ended) {
      if (ended.result() != IoResult.WOULD_BLOCK) {
        // An end and a failure stay.
        arrivals.addFirst(arrival);
      }
      return ended.result();
    }
    arrivals.addFirst(arrival);
    int n = 0;
    while (arrivals.peekFirst() instanceof Bytes next && n < receiveLimit && into.room() > 0) {
      n += append(next.bytes(), into, receiveLimit - n);
      if (!next.bytes().hasRemaining()) {
        arrivals.removeFirst();
      }
    }
    reads++;
    return n;
  }

  private static int append(ByteBuffer from, Segment into, int limit) {
    int end = from.limit();
    from.limit(from.position() + Math.min(from.remaining(), limit));
    int n = into.append(from);
    from.limit(end);
    return n;
  }

  @Override
  public long write(SegmentQueue queue) {
    requireOpen("write");
    if (inFlight != null) {
      violations.add("written while a write is in flight");
    }
    if (finished) {
      violations.add("written after finish");
    }
    if (queue.lengthBytes() == 0) {
      violations.add("an empty write");
    }
    writes++;
    if (writeDefect != null) {
      throw writeDefect;
    }
    long result = writeResults.isEmpty() ? Long.MAX_VALUE : writeResults.removeFirst();
    if (result == IoResult.PENDING) {
      inFlight = queue;
      if (completeNextWrite != null) {
        completeWrite(completeNextWrite);
        completeNextWrite = null;
      }
      return result;
    }
    return result < 0 ? result : take(queue, Math.min(result, gatherBytes(queue)));
  }

  private static long gatherBytes(SegmentQueue queue) {
    long bytes = 0;
    for (int i = 0; i < Math.min(queue.size(), MAX_GATHER_SEGMENTS); i++) {
      bytes += queue.get(i).length();
    }
    return bytes;
  }

  private long take(SegmentQueue queue, long bytes) {
    long left = bytes;
    for (int i = 0; left > 0; i++) {
      byte[] segment = queue.get(i).toByteArray();
      int n = (int) Math.min(left, segment.length);
      peerGot.write(segment, 0, n);
      left -= n;
    }
    return bytes;
  }

  @Override
  public void wantWritable(boolean wanted) {
    requireOpen("wantWritable");
    writableWanted = wanted;
  }

  @Override
  public int lookForBreak() {
    requireOpen("lookForBreak");
    return unseenBreak;
  }

  @Override
  public void finish() throws IOException {
    requireOpen("finish");
    if (finished) {
      violations.add("finished twice");
    }
    if (inFlight != null) {
      violations.add("finished while a write is in flight");
    }
    if (finishFailure != null) {
      throw finishFailure;
    }
    finished = true;
  }

  @Override
  public void close(boolean withReset) {
    if (closed) {
      violations.add("closed twice");
    }
    closed = true;
    reset = withReset;
    if (inFlight == null && !holdsRelease) {
      release();
    }
  }

  @Override
  public Endpoint remote() {
    return remote;
  }

  @Override
  public Endpoint local() {
    return Endpoint.loopback(40_000);
  }

  @Override
  public PeerCredentials peerCredentials() throws IOException {
    throw new IOException("a TCP socket has no peer credentials");
  }

  private void requireOpen(String call) {
    if (closed) {
      violations.add(call + " after close");
    }
  }
}
