package io.penstock.shards.os;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Reads the causes of a failed native load. Any thread; no state. */
public final class NativeLoadFailure {
  private NativeLoadFailure() {}

  /** One sentence that says why {@code library} could not be loaded. */
  public static String reason(String library, Throwable failure) {
    for (Throwable t : chain(failure)) {
      if (isNativeAccessDenied(t)) {
        return "native access is denied to "
            + library
            + ": start the JVM with --enable-native-access=ALL-UNNAMED ("
            + t.getMessage()
            + ")";
      }
      if (t instanceof ClassNotFoundException) {
        return library + " is not on the class path: class " + t.getMessage() + " is missing";
      }
    }
    return library + " could not be loaded: " + rootMessage(failure);
  }

  /**
   * True for what the JVM throws under {@code --illegal-native-access=deny}. The class is there
   * since Java 9.
   */
  public static boolean isNativeAccessDenied(Throwable t) {
    return t instanceof IllegalCallerException
        && t.getMessage() != null
        && t.getMessage().toLowerCase(Locale.ROOT).contains("native access");
  }

  /** The failure, its causes and what was suppressed on the way, outermost first, each once. */
  public static List<Throwable> chain(Throwable failure) {
    List<Throwable> found = new ArrayList<>();
    collect(failure, found, Collections.newSetFromMap(new IdentityHashMap<>()));
    return found;
  }

  /** The failure and its causes, outermost first. */
  public static List<Throwable> causes(Throwable failure) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    List<Throwable> causes = new ArrayList<>();
    for (Throwable t = failure; t != null && seen.add(t); t = t.getCause()) {
      causes.add(t);
    }
    return causes;
  }

  /** Type and message of the innermost cause. */
  public static String rootMessage(Throwable failure) {
    List<Throwable> causes = causes(failure);
    Throwable root = causes.get(causes.size() - 1);
    String message = root.getMessage();
    String type = root.getClass().getSimpleName();
    return message == null ? type : type + ": " + message.strip().replaceAll("\\s*\\R\\s*", " ");
  }

  private static void collect(Throwable t, List<Throwable> found, Set<Throwable> seen) {
    if (t == null || !seen.add(t)) {
      return;
    }
    found.add(t);
    collect(t.getCause(), found, seen);
    for (Throwable suppressed : t.getSuppressed()) {
      collect(suppressed, found, seen);
    }
  }
}
