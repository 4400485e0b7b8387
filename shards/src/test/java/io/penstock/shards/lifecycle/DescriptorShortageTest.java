package io.penstock.shards.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shards.Listener;
import io.penstock.shards.ShardGroup;
import io.penstock.shards.core.Backend;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.metrics.Counter;
import io.penstock.shards.net.ListenOptions;
import io.penstock.shards.net.ShardListener;
import io.penstock.shards.testing.CapturedLog;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.ForkedJvm;
import io.penstock.shards.testing.RawPeer;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.TestNet;
import io.penstock.shards.testing.Wait;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A process that has used up its descriptors. */
class DescriptorShortageTest {

  @EachBackend
  void whoConnectsWhileNoDescriptorIsLeftIsServedOnceThereIsOne(Backend backend) throws Exception {
    String out =
        ForkedJvm.of(Shortage.class)
            .behind("sh", "-c", "ulimit -n 400; exec \"$@\"", "sh")
            .run(backend.name())
            .successfulOutput();

    assertThat(out.lines().toList())
        .containsExactly("failing", "the earlier one is served", "the later one is served");
  }

  /** Main class: a listener whose process has one descriptor left, for the client. */
  static final class Shortage {
    private static final int LEAST_FAILURES = 3;

    public static void main(String[] args) throws Exception {
      loadAll();
      Backend backend = Backend.valueOf(args[0]);
      try (ShardGroup group = ShardGroup.start(Groups.small(backend, 1));
          CapturedLog log = CapturedLog.of(ShardListener.class)) {
        Listener listener =
            group.listen(Endpoint.loopback(0), ListenOptions.defaults(), RecordingHandler::echoing);
        try (RawPeer earlier = connect(listener)) {
          requireEcho(earlier, 1);
          Wait.until("classes are loaded", () -> true);
          RawPeer later;
          TakenDescriptors taken = TakenDescriptors.allBut(1);
          try {
            later = connect(listener);
            Wait.until("accepting fails again and again", () -> failures(group) >= LEAST_FAILURES);
            System.out.println("failing");
            requireEcho(earlier, 2);
            System.out.println("the earlier one is served");
          } finally {
            taken.close();
          }
          try (later) {
            requireEcho(later, 3);
            System.out.println("the later one is served");
          }
        }
        List<String> warnings = log.events().stream().map(e -> e.getFormattedMessage()).toList();
        assertThat(warnings).singleElement().asString().contains("cannot accept", "EMFILE");
      }
    }

    private static long failures(ShardGroup group) {
      return group.counters().get(Counter.ACCEPT_FAILURES);
    }

    private static RawPeer connect(Listener listener) throws Exception {
      return RawPeer.connect(TestNet.jdkAddress(listener.local()));
    }

    private static void requireEcho(RawPeer peer, int value) throws Exception {
      peer.send((byte) value);
      assertThat(peer.receive(1)).containsExactly(value);
    }

    /** Those from folders could not be loaded later. */
    private static void loadAll() throws Exception {
      for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
        Path folder = Path.of(entry);
        if (!entry.isEmpty() && Files.isDirectory(folder)) {
          try (Stream<Path> files = Files.walk(folder)) {
            List<String> names =
                files
                    .map(file -> folder.relativize(file).toString())
                    .filter(name -> name.endsWith(".class") && !name.contains("-info"))
                    .map(name -> name.replace(".class", "").replace('/', '.'))
                    .toList();
            for (String name : names) {
              Class.forName(name, false, Shortage.class.getClassLoader());
            }
          }
        }
      }
    }
  }
}
