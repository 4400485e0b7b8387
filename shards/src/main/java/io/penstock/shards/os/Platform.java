package io.penstock.shards.os;

import java.util.Locale;

/** The system that this JVM runs on, as far as native code depends on it. Any thread; no state. */
public final class Platform {
  private Platform() {}

  /** Null on a system that native code is made for, else what it needs and what this is. */
  public static String unsupportedReason() {
    if (!isLinux()) {
      return "needs Linux, this is " + os();
    }
    String arch = System.getProperty("os.arch", "unknown");
    if (!isX86(arch) && !isArm(arch)) {
      return "needs x86_64 or aarch64, this is " + arch;
    }
    return null;
  }

  public static boolean isLinux() {
    return os().toLowerCase(Locale.ROOT).startsWith("linux");
  }

  private static String os() {
    return System.getProperty("os.name", "unknown");
  }

  public static boolean isX86() {
    return isX86(System.getProperty("os.arch", "unknown"));
  }

  private static boolean isX86(String arch) {
    return arch.equals("amd64") || arch.equals("x86_64");
  }

  private static boolean isArm(String arch) {
    return arch.equals("aarch64");
  }
}
