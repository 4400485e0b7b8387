package io.penstock.bench.memory;

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
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * To get a buffer, write into each of its pages and give it back on the same thread. Run it with
 * {@code -t 1}, {@code -t 2} and {@code -t 4}: what threads share shows only then.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgsAppend = "-XX:MaxDirectMemorySize=2g")
public class SegmentPoolBenchmark {
  /** Where a buffer comes from. */
  public enum Source {
    SLAB,
    NETTY_POOLED,
    NETTY_ADAPTIVE,
    SHARED_QUEUE,
    SHARED_STACK,
    MALLOC,
    HEAP,
    ALLOCATE_DIRECT
  }

  @Param public Source source;

  @Param({"4096", "65536", "1048576"})
  public int size;

  private Buffers buffers;

  @Setup(Level.Trial)
  public void open() {
    buffers =
        switch (source) {
          case SLAB -> new Buffers.Slab();
          case NETTY_POOLED -> Buffers.Netty.pooled();
          case NETTY_ADAPTIVE -> Buffers.Netty.adaptive();
          case SHARED_QUEUE -> new Buffers.SharedQueue();
          case SHARED_STACK -> new Buffers.SharedStack();
          case MALLOC -> new Buffers.Malloc();
          case HEAP -> new Buffers.Heap();
          case ALLOCATE_DIRECT -> new Buffers.AllocateDirect();
        };
  }

  @Benchmark
  public void use(Blackhole used) {
    buffers.use(size, used);
  }
}
