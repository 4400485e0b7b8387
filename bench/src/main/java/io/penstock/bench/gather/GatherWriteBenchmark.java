package io.penstock.bench.gather;

import io.penstock.shards.core.Backend;
import io.penstock.shards.core.SocketOptions;
import io.penstock.shards.loop.LoopOptions;
import io.penstock.shards.loop.ShardLoop;
import io.penstock.shards.loop.TurnMonitor;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.memory.SegmentPool;
import io.penstock.shards.metrics.ShardCounters;
import io.penstock.shards.net.ConnectOptions;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ConnectionHandler;
import io.penstock.shards.net.ConnectionOptions;
import io.penstock.shards.net.ConnectionState;
import io.penstock.shards.net.NetShard;
import io.penstock.shards.poller.ConnectRequest;
import io.penstock.shards.poller.Poller;
import io.penstock.shards.poller.epoll.EpollPoller;
import io.penstock.shards.poller.nio.NioPoller;
import io.penstock.shards.poller.uring.UringPoller;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What it costs to send {@code count} buffers of {@code size} bytes, leases and all: from the first
 * lease until the kernel has the last byte. The benchmark's thread is the shard and steps it; the
 * peer reads and checks the bytes on a thread of its own.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class GatherWriteBenchmark {
  /** How the buffers are sent. */
  public enum Leg {
    /** As few buffers as there can be, filled at once: what no writer of many can reach. */
    SINGLE,
    /** A call for each. */
    SEQUENTIAL,
    /** Copied together, however long. */
    COPY,
    /** By reference, however short. */
    GATHER,
    /** As Penstock does by default. */
    ADAPTIVE
  }

  private static final int LARGEST_BYTES = 1 << 18;
  private static final int ADAPTIVE_BELOW_BYTES = 1 << 10;

  @Param({"EPOLL"})
  public Backend backend;

  @Param({"tcp", "uds"})
  public String transport;

  @Param public Leg leg;

  @Param({"25"})
  public int count;

  @Param({"36", "256", "1000", "4096"})
  public int size;

  private Sink sink;
  private Poller poller;
  private ShardLoop loop;
  private Connection connection;
  private Segment source;
  private long position;

  /** Connects. */
  @Setup(Level.Trial)
  public void connect() throws IOException {
    sink = Sink.open(transport.equals("uds"));
    poller = poller();
    ShardLoop[] made = new ShardLoop[1];
    SegmentPool pool =
        new SegmentPool(
            poller.memoryAddresses(), 64L << 20, System::nanoTime, () -> made[0].ring());
    ShardCounters counters = new ShardCounters();
    loop =
        new ShardLoop(
            poller,
            pool,
            LoopOptions.defaults(),
            System::nanoTime,
            counters,
            new TurnMonitor(0, Duration.ofMinutes(1)),
            GatherWriteBenchmark::failed);
    made[0] = loop;
    NetShard shard =
        new NetShard(
            0,
            loop,
            poller,
            pool,
            1,
            copyBelowBytes(),
            lease -> {},
            (what, failure) -> failed(failure));
    loop.begin();
    ConnectOptions options =
        ConnectOptions.defaults()
            .withConnection(ConnectionOptions.defaults().withWatermarks(1 << 24, 1 << 25));
    boolean[] decided = new boolean[1];
    ConnectRequest request = new ConnectRequest(sink.endpoint(), null, SocketOptions.none());
    connection = shard.connect(request, options, new Sender(), c -> decided[0] = true);
    while (!decided[0]) {
      loop.runTurn();
    }
    source = pool.lease(LARGEST_BYTES, "the source");
    for (int i = 0; i < LARGEST_BYTES; i++) {
      source.append(new byte[] {Sink.pattern(i)}, 0, 1);
    }
  }

  private static void failed(Throwable failure) {
    throw new IllegalStateException("the shard failed", failure);
  }

  private Poller poller() throws IOException {
    return switch (backend) {
      case IO_URING -> new UringPoller(64, 1024);
      case EPOLL -> new EpollPoller();
      case NIO -> new NioPoller();
    };
  }

  private int copyBelowBytes() {
    return switch (leg) {
      case COPY -> Integer.MAX_VALUE;
      case ADAPTIVE -> ADAPTIVE_BELOW_BYTES;
      case SINGLE, SEQUENTIAL, GATHER -> 0;
    };
  }

  /** Sends all buffers. */
  @Benchmark
  public void send() throws IOException {
    int total = count * size;
    int piece = leg == Leg.SINGLE ? Math.min(total, LARGEST_BYTES - Sink.PERIOD) : size;
    for (int left = total; left > 0; left -= Math.min(left, piece)) {
      connection.write(filled(Math.min(left, piece)));
      if (leg == Leg.SEQUENTIAL) {
        flush();
      }
    }
    flush();
  }

  private Segment filled(int lengthBytes) {
    int from = (int) (position % Sink.PERIOD);
    position += lengthBytes;
    source.range(from, from + lengthBytes);
    Segment segment = connection.lease(lengthBytes);
    segment.append(source);
    return segment;
  }

  private void flush() throws IOException {
    do {
      loop.runTurn();
    } while (connection.queuedBytes() > 0);
  }

  /** Ends the connection and looks whether the bytes were right. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    source.release();
    connection.close();
    while (connection.state() != ConnectionState.CLOSED) {
      loop.runTurn();
    }
    loop.end();
    sink.close();
  }

  /** Only sends. */
  private static final class Sender implements ConnectionHandler {
    @Override
    public void onOpened(Connection connection) {
      // The benchmark writes.
    }

    @Override
    public void onReceived(Connection connection, Segment segment) {
      segment.release();
    }
  }
}
