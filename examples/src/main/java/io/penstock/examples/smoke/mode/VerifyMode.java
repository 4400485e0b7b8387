package io.penstock.examples.smoke.mode;

import io.penstock.examples.smoke.count.Count;
import io.penstock.examples.smoke.count.Lanes;
import io.penstock.examples.smoke.options.SmokeOptions;
import io.penstock.examples.smoke.options.Status;
import io.penstock.examples.smoke.peer.CheckingReceiver;
import io.penstock.examples.smoke.peer.Pattern;
import io.penstock.examples.smoke.peer.SendingServer;
import io.penstock.examples.smoke.report.Lines;
import io.penstock.examples.smoke.wire.OutOfBand;
import io.penstock.shards.core.Endpoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Has this thread, which runs no connection, send a known pattern on the server's connections in
 * three ways: whole, in pieces of one size, and in pieces that grow. The clients compare.
 */
public final class VerifyMode implements Mode {
  private static final int WAYS = 3;

  /** Straddles the ends of buffers of any usual size. */
  private static final int PIECE_BYTES = 7_000;

  /** What is sent whole is cut up beyond this: one segment holds it. */
  private static final int WHOLE_BYTES = 1 << 20;

  private static final long CONNECT_MILLIS = 5_000;
  private static final long STUCK_MILLIS = 10_000;
  private static final long RETRY_NANOS = 50_000;

  @Override
  public Outcome run(Run run) throws IOException {
    SmokeOptions options = run.options();
    int connections = Math.max(1, options.clients());
    int payloadBytes = options.verifyBytes();
    Pattern pattern = Pattern.checked();
    // Filled on the lanes, emptied here.
    LinkedBlockingQueue<OutOfBand> opened = new LinkedBlockingQueue<>();
    Endpoint target = run.listen(() -> new SendingServer(opened::add));
    long perConnection = (long) WAYS * payloadBytes;
    long expected = connections * perConnection;
    run.out()
        .println(
            Lines.format(
                "verify: backend=%s payload=%d seg=%d connections=%d expected=%d",
                run.leg().effective().backend(), payloadBytes, PIECE_BYTES, connections, expected));
    run.connectAtOnce(
        target, connections, () -> new CheckingReceiver(pattern, payloadBytes, perConnection));
    ByteBuffer payload = payload(pattern, payloadBytes);
    boolean sent = true;
    for (int i = 0; i < connections && sent; i++) {
      sent = sendAll(run, opened, payload);
    }
    Lanes lanes = run.leg().lanes();
    boolean ended =
        sent
            && Progress.awaitEnd(
                run.stop(),
                () -> lanes.live() == 0,
                () -> lanes.sum(Count.RECEIVED_BYTES),
                STUCK_MILLIS);
    return outcome(run, expected, ended);
  }

  private static ByteBuffer payload(Pattern pattern, int lengthBytes) {
    Pattern.View view = pattern.view();
    ByteBuffer payload = ByteBuffer.allocateDirect(lengthBytes);
    while (payload.hasRemaining()) {
      int piece = Math.min(payload.remaining(), Pattern.PIECE_BYTES);
      payload.put(view.at(payload.position(), piece));
    }
    return payload.flip();
  }

  private static boolean sendAll(Run run, LinkedBlockingQueue<OutOfBand> opened, ByteBuffer payload)
      throws IOException {
    try {
      OutOfBand connection = opened.poll(CONNECT_MILLIS, TimeUnit.MILLISECONDS);
      if (connection == null) {
        run.out().println("verify: no connection was accepted within " + CONNECT_MILLIS + " ms");
        return false;
      }
      return send(run.stop(), connection, payload.duplicate(), WHOLE_BYTES, WHOLE_BYTES)
          && send(run.stop(), connection, payload.duplicate(), PIECE_BYTES, PIECE_BYTES)
          && send(run.stop(), connection, payload.duplicate(), 1, PIECE_BYTES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while a connection was awaited", e);
    }
  }

  /** In pieces that begin with one size and end with another, growing by half. */
  private static boolean send(
      StopSignal stop, OutOfBand connection, ByteBuffer payload, int firstBytes, int lastBytes) {
    int pieceBytes = firstBytes;
    while (payload.hasRemaining()) {
      int length = Math.min(pieceBytes, payload.remaining());
      ByteBuffer piece = payload.slice(payload.position(), length);
      if (!sendPiece(stop, connection, piece)) {
        return false;
      }
      payload.position(payload.position() + length);
      pieceBytes = Math.min(lastBytes, pieceBytes + pieceBytes / 2 + 1);
    }
    return true;
  }

  private static boolean sendPiece(StopSignal stop, OutOfBand connection, ByteBuffer piece) {
    long deadlineNanos = StopSignal.deadlineIn(STUCK_MILLIS);
    while (!connection.trySend(piece)) {
      if (System.nanoTime() - deadlineNanos >= 0
          || stop.awaitUntil(System.nanoTime() + RETRY_NANOS)) {
        return false;
      }
    }
    return true;
  }

  private static Outcome outcome(Run run, long expected, boolean ended) {
    Lanes lanes = run.leg().lanes();
    long received = lanes.sum(Count.RETURNED_BYTES);
    long mismatches = lanes.sum(Count.CLIENT_MISMATCHES);
    boolean passed =
        ended && received == expected && mismatches == 0 && lanes.sum(Count.CLIENTS_CUT_OFF) == 0;
    run.out()
        .println(
            Lines.format(
                "verify: received=%d/%d mismatches=%d => %s",
                received, expected, mismatches, run.verdict(passed)));
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("check", "verify");
    map.put("passed", passed);
    map.put("receivedBytes", received);
    map.put("expectedBytes", expected);
    map.put("mismatches", mismatches);
    return new Outcome(passed ? Status.OK : Status.FAILED, map);
  }
}
