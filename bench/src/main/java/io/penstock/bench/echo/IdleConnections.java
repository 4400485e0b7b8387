package io.penstock.bench.echo;

import com.sun.management.OperatingSystemMXBean;
import io.penstock.shards.Listener;
import io.penstock.shards.ShardGroup;
import io.penstock.shards.ShardGroupOptions;
import io.penstock.shards.core.Backend;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.net.ListenOptions;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What idle connections cost the server's process: heap and off-heap bytes each, and CPU time. The
 * clients are a process of their own. Each connection has echoed one message before.
 *
 * <p>{@code java -cp bench/target/penstock-bench.jar io.penstock.bench.echo.IdleConnections
 * [COUNT]}
 */
public final class IdleConnections {
  private static final int IDLE_SECONDS = 5;
  private static final int SETTLING_COLLECTIONS = 5;

  private IdleConnections() {}

  /** The server, on each backend; or the clients, when called by it. */
  public static void main(String[] args) throws Exception {
    if (args.length == 3 && args[0].equals("clients")) {
      holdConnections(Integer.parseInt(args[1]), Integer.parseInt(args[2]));
      return;
    }
    int count = args.length > 0 ? Integer.parseInt(args[0]) : 1000;
    System.out.printf(
        "%-10s %12s %14s %18s %8s%n",
        "backend", "connections", "heap B each", "off-heap B each", "CPU %");
    for (Backend backend : Backend.values()) {
      measure(backend, count);
    }
  }

  private static void measure(Backend backend, int count) throws Exception {
    ShardGroupOptions options = ShardGroupOptions.defaults().withBackend(backend).withShards(1);
    try (ShardGroup group = ShardGroup.start(options)) {
      Listener listener =
          group.listen(Endpoint.loopback(0), ListenOptions.defaults(), EchoServer::new);
      int port = ((Endpoint.Tcp) listener.local()).address().getPort();
      runClients(port, 8, () -> {}); // loads what the first connections load
      long heapBefore = usedHeapBytes();
      long offHeapBefore = offHeapBytes();
      runClients(
          port,
          count,
          () -> {
            long heapBytes = (usedHeapBytes() - heapBefore) / count;
            long offHeapBytes = (offHeapBytes() - offHeapBefore) / count;
            double cpu = idleCpuShare();
            System.out.printf(
                "%-10s %12d %14d %18d %8.2f%n",
                backend, listener.openCount(), heapBytes, offHeapBytes, cpu * 100);
          });
    }
  }

  private interface Measurement {
    void run() throws InterruptedException;
  }

  /** Runs the measurement while another process holds that many connections. */
  private static void runClients(int port, int count, Measurement measurement) throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process clients =
        new ProcessBuilder(
                java,
                "-cp",
                System.getProperty("java.class.path"),
                IdleConnections.class.getName(),
                "clients",
                Integer.toString(port),
                Integer.toString(count))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      if (clients.getInputStream().read() < 0) {
        throw new IOException("the clients ended before all were connected");
      }
      measurement.run();
    } finally {
      clients.getOutputStream().close();
      clients.waitFor(10, TimeUnit.SECONDS);
      clients.destroyForcibly();
    }
  }

  private static void holdConnections(int port, int count) throws IOException {
    List<Socket> sockets = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.getOutputStream().write(1);
      if (socket.getInputStream().read() != 1) {
        throw new IOException("connection " + i + " was not echoed");
      }
      sockets.add(socket);
    }
    System.out.write('.');
    System.out.flush();
    if (System.in.read() >= 0) {
      throw new IOException("nothing is expected but the end");
    }
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  private static long usedHeapBytes() {
    for (int i = 0; i < SETTLING_COLLECTIONS; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static long offHeapBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }

  /** Of one CPU, while nothing happens. */
  private static double idleCpuShare() throws InterruptedException {
    OperatingSystemMXBean os = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long cpuBefore = os.getProcessCpuTime();
    long before = System.nanoTime();
    TimeUnit.SECONDS.sleep(IDLE_SECONDS);
    return (double) (os.getProcessCpuTime() - cpuBefore) / (System.nanoTime() - before);
  }
}
