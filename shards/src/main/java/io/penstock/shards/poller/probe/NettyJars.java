package io.penstock.shards.poller.probe;

import io.penstock.shards.core.Backend;
import io.penstock.shards.os.Platform;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which Netty a class loader would give us: looks where the classes and libraries that decide would
 * come from and reads the version beside them, without loading any. Any thread.
 */
final class NettyJars {
  /**
   * What this project is built and tested with; a later 4.2 is taken too if all its parts are of
   * one version.
   */
  static final String NEEDED_VERSION = "4.2.18.Final";

  private static final int NEEDED_PATCH = 18;
  private static final Pattern VERSION = Pattern.compile("4\\.2\\.(\\d{1,6})\\.Final");
  private static final String IO_HANDLER = "io/netty/channel/IoHandler.class";

  private final ClassLoader loader;

  NettyJars(ClassLoader loader) {
    this.loader = loader;
  }

  static NettyJars onClassPathOf(Class<?> type) {
    ClassLoader loader = type.getClassLoader();
    return new NettyJars(loader == null ? ClassLoader.getSystemClassLoader() : loader);
  }

  /** An artifact, where it was found, and its version; null if there is nothing that tells. */
  private record Found(String artifact, String version, String place) {
    @Override
    public String toString() {
      return artifact + " " + version + " in " + place;
    }
  }

  /**
   * Null if all that this backend needs is there and fits together, or cannot be told; else what
   * does not.
   */
  String problem(Backend backend) {
    List<Found> found = new ArrayList<>();
    List<String> missing = new ArrayList<>();
    lookUp("netty-common", "io/netty/util/Version.class", found, missing);
    lookUp("netty-buffer", "io/netty/buffer/ByteBuf.class", found, missing);
    lookUp("netty-transport", "io/netty/channel/Channel.class", found, missing);
    lookUp(
        "netty-transport-native-unix-common",
        "io/netty/channel/unix/FileDescriptor.class",
        found,
        missing);
    String entryPoint =
        backend == Backend.IO_URING
            ? "io/netty/channel/uring/IoUring.class"
            : "io/netty/channel/epoll/Epoll.class";
    lookUp("netty-transport-classes-" + backend.label(), entryPoint, found, missing);
    lookUpAll("netty-transport-native-" + backend.label(), libraryResource(backend), found);

    String misfit = misfit(found);
    if (misfit != null) {
      return misfit;
    }
    if (!missing.isEmpty()) {
      return "not on the class path: " + String.join(", ", missing) + " " + NEEDED_VERSION;
    }
    if (loader.getResource(IO_HANDLER) == null) {
      // A repackaged Netty, whose version nothing tells.
      URL channel = loader.getResource("io/netty/channel/Channel.class");
      return "needs Netty "
          + NEEDED_VERSION
          + ", found an older one, without io.netty.channel.IoHandler, in "
          + place(base(channel, "io/netty/channel/Channel.class"));
    }
    return null;
  }

  /** The resource that holds this backend's native library for this machine. */
  static String libraryResource(Backend backend) {
    String name = backend == Backend.IO_URING ? "io_uring42" : backend.label();
    String arch = Platform.isX86() ? "x86_64" : "aarch_64";
    return "META-INF/native/libnetty_transport_native_" + name + "_" + arch + ".so";
  }

  private static String misfit(List<Found> found) {
    List<Found> known = found.stream().filter(f -> f.version() != null).toList();
    List<String> wrong =
        known.stream().filter(f -> !fits(f.version())).map(Found::toString).toList();
    if (!wrong.isEmpty()) {
      return "needs Netty " + NEEDED_VERSION + ", found " + String.join(", ", wrong);
    }
    if (known.stream().map(Found::version).distinct().count() > 1) {
      return "needs all parts of Netty in one version, found "
          + String.join(", ", known.stream().map(Found::toString).toList());
    }
    return null;
  }

  static boolean fits(String version) {
    Matcher matcher = VERSION.matcher(version);
    return matcher.matches() && Integer.parseInt(matcher.group(1)) >= NEEDED_PATCH;
  }

  private void lookUp(String artifact, String landmark, List<Found> found, List<String> missing) {
    URL url = loader.getResource(landmark);
    if (url == null) {
      missing.add(artifact);
    } else {
      found.add(found(artifact, base(url, landmark)));
    }
  }

  /**
   * All copies, since Netty takes none if there are several that differ. None at all may be right:
   * libraries also come otherwise.
   */
  private void lookUpAll(String artifact, String landmark, List<Found> found) {
    try {
      for (URL url : Collections.list(loader.getResources(landmark))) {
        found.add(found(artifact, base(url, landmark)));
      }
    } catch (IOException e) {
      // An unreadable class path; loading the library will fail and say so.
      found.add(new Found(artifact, null, e.toString()));
    }
  }

  private static Found found(String artifact, String base) {
    String version =
        property(base + "META-INF/io.netty.versions.properties", artifact + ".version");
    if (version == null) {
      // Where jars were merged into one, these files still lie side by side.
      version =
          property(base + "META-INF/maven/io.netty/" + artifact + "/pom.properties", "version");
    }
    return new Found(artifact, version, place(base));
  }

  private static String base(URL url, String landmark) {
    String text = url.toString();
    return text.substring(0, text.length() - landmark.length());
  }

  /** Null if there is no such file or it lacks the key. */
  private static String property(String url, String key) {
    Properties properties = new Properties();
    try {
      URLConnection connection = URI.create(url).toURL().openConnection();
      connection.setUseCaches(false); // a cached jar would stay open
      try (InputStream in = connection.getInputStream()) {
        properties.load(in);
      }
    } catch (IOException | IllegalArgumentException e) {
      return null;
    }
    return properties.getProperty(key);
  }

  /** The path of a jar or folder, or the URL as it is if it is neither. */
  private static String place(String base) {
    String text = base;
    if (text.startsWith("jar:") && text.endsWith("!/")) {
      text = text.substring("jar:".length(), text.length() - "!/".length());
    }
    try {
      return Path.of(URI.create(text)).toString();
    } catch (RuntimeException e) {
      return text;
    }
  }
}
