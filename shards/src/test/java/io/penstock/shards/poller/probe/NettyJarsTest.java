package io.penstock.shards.poller.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.Version;
import io.penstock.shards.core.Backend;
import io.penstock.shards.os.Platform;
import io.penstock.shards.testing.ForkedJvm;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@EnabledOnOs(OS.LINUX)
class NettyJarsTest {
  private static final Path OTHER_VERSIONS =
      Path.of("target", "netty-of-other-versions").toAbsolutePath();
  private static final Path COMMON_41 = OTHER_VERSIONS.resolve("netty-common-4.1.118.Final.jar");
  private static final Path TRANSPORT_41 =
      OTHER_VERSIONS.resolve("netty-transport-4.1.118.Final.jar");
  private static final Path TRANSPORT_OLDER_42 =
      OTHER_VERSIONS.resolve("netty-transport-4.2.17.Final.jar");
  private static final Path NATIVE_EPOLL_41 =
      OTHER_VERSIONS.resolve("netty-transport-native-epoll-4.1.118.Final-linux-x86_64.jar");

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void theNettyThatWeAreBuiltWithFits(Backend backend) {
    assertThat(NettyJars.onClassPathOf(NativeProbe.class).problem(backend)).isNull();
  }

  @Test
  void theNeededVersionIsTheOneThatWeAreBuiltWith() {
    assertThat(Version.identify(getClass().getClassLoader()).get("netty-common").artifactVersion())
        .isEqualTo(NettyJars.NEEDED_VERSION);
  }

  @ParameterizedTest
  @CsvSource({
    "4.2.18.Final, true",
    "4.2.19.Final, true",
    "4.2.100.Final, true",
    "4.2.17.Final, false",
    "4.2.9.Final, false",
    "4.3.0.Final, false",
    "5.0.0.Alpha2, false",
    "4.1.118.Final, false",
    "4.2.18.Final-SNAPSHOT, false"
  })
  void laterPatchesOfThisLineFitAndNothingElse(String version, boolean fits) {
    assertThat(NettyJars.fits(version)).isEqualTo(fits);
  }

  @Test
  void anOlderLineInFrontIsNamedWithEachOfItsJars() throws Exception {
    assertThat(problem(Backend.IO_URING, COMMON_41, TRANSPORT_41))
        .isEqualTo(
            "needs Netty 4.2.18.Final, found netty-common 4.1.118.Final in "
                + COMMON_41
                + ", netty-transport 4.1.118.Final in "
                + TRANSPORT_41);
  }

  @Test
  void anOlderPatchInFrontIsNamed() throws Exception {
    assertThat(problem(Backend.EPOLL, TRANSPORT_OLDER_42))
        .isEqualTo(
            "needs Netty 4.2.18.Final, found netty-transport 4.2.17.Final in "
                + TRANSPORT_OLDER_42);
  }

  @Test
  void anotherVersionsLibraryIsNamedEvenBehindTheRightOne() throws Exception {
    Assumptions.assumeTrue(Platform.isX86(), "the library in that jar is for x86_64");
    List<URL> urls = nettyOfTheBuild();
    urls.add(NATIVE_EPOLL_41.toUri().toURL());
    assertThat(NATIVE_EPOLL_41).exists();

    try (URLClassLoader loader = new URLClassLoader(urls.toArray(URL[]::new), null)) {
      assertThat(new NettyJars(loader).problem(Backend.EPOLL))
          .isEqualTo(
              "needs Netty 4.2.18.Final, found netty-transport-native-epoll 4.1.118.Final in "
                  + NATIVE_EPOLL_41);
      assertThat(new NettyJars(loader).problem(Backend.IO_URING)).isNull();
    }
  }

  @Test
  void missingJarsAreListed() throws Exception {
    List<URL> urls = nettyOfTheBuild();
    urls.removeIf(
        url ->
            url.getPath().contains("netty-transport-classes-") || url.getPath().contains("unix"));

    try (URLClassLoader loader = new URLClassLoader(urls.toArray(URL[]::new), null)) {
      assertThat(new NettyJars(loader).problem(Backend.IO_URING))
          .isEqualTo(
              "not on the class path: netty-transport-native-unix-common,"
                  + " netty-transport-classes-io_uring 4.2.18.Final");
    }
  }

  @Test
  void aJarMergedFromAllTellsItsVersionsByTheirPomProperties() throws Exception {
    mergedFolder(true);
    pomProperties("netty-common", "4.2.19.Final");
    pomProperties("netty-transport", "4.2.19.Final");
    assertThat(problemOfFolder()).isNull();

    pomProperties("netty-common", "4.2.20.Final");
    assertThat(problemOfFolder())
        .isEqualTo(
            "needs all parts of Netty in one version, found netty-common 4.2.20.Final in "
                + folder
                + ", netty-transport 4.2.19.Final in "
                + folder);
  }

  @Test
  void aRepackagedNettyWithoutVersionsIsJudgedByWhatItHas() throws Exception {
    mergedFolder(true);
    assertThat(problemOfFolder()).isNull();

    mergedFolder(false);
    assertThat(problemOfFolder())
        .isEqualTo(
            "needs Netty 4.2.18.Final, found an older one, without io.netty.channel.IoHandler, in "
                + folder);
  }

  private String problemOfFolder() throws IOException {
    URL[] urls = {folder.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(urls, null)) {
      return new NettyJars(loader).problem(Backend.EPOLL);
    }
  }

  private void mergedFolder(boolean withIoHandler) throws IOException {
    Files.createDirectories(folder.resolve("io/netty/util"));
    Files.createDirectories(folder.resolve("io/netty/buffer"));
    Files.createDirectories(folder.resolve("io/netty/channel/unix"));
    Files.createDirectories(folder.resolve("io/netty/channel/epoll"));
    for (String type :
        List.of(
            "util/Version",
            "buffer/ByteBuf",
            "channel/Channel",
            "channel/unix/FileDescriptor",
            "channel/epoll/Epoll")) {
      Files.write(folder.resolve("io/netty/" + type + ".class"), new byte[0]);
    }
    Path ioHandler = folder.resolve("io/netty/channel/IoHandler.class");
    if (withIoHandler) {
      Files.write(ioHandler, new byte[0]);
    } else {
      Files.delete(ioHandler);
    }
  }

  private void pomProperties(String artifact, String version) throws IOException {
    Path properties = folder.resolve("META-INF/maven/io.netty/" + artifact + "/pom.properties");
    Files.createDirectories(properties.getParent());
    Files.writeString(properties, "version=" + version + "\n");
  }

  private static String problem(Backend backend, Path... inFront) throws IOException {
    List<URL> urls = new ArrayList<>();
    for (Path jar : inFront) {
      assertThat(jar).exists();
      urls.add(jar.toUri().toURL());
    }
    urls.addAll(nettyOfTheBuild());
    try (URLClassLoader loader = new URLClassLoader(urls.toArray(URL[]::new), null)) {
      return new NettyJars(loader).problem(backend);
    }
  }

  private static List<URL> nettyOfTheBuild() throws IOException {
    List<URL> urls = new ArrayList<>();
    for (String artifact :
        List.of(
            "netty-common-",
            "netty-buffer-",
            "netty-transport-4",
            "netty-transport-native-unix-common-",
            "netty-transport-classes-epoll-",
            "netty-transport-classes-io_uring-",
            "netty-transport-native-epoll-",
            "netty-transport-native-io_uring-")) {
      urls.add(ForkedJvm.jarOnClassPath(artifact).toUri().toURL());
    }
    return urls;
  }
}
