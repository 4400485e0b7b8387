package io.penstock.shards.poller.probe;

import io.penstock.shards.core.Backend;
import io.penstock.shards.os.Libc;
import io.penstock.shards.os.LinuxConstants;
import io.penstock.shards.os.NativeLoadFailure;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Turns what Netty threw into one sentence for the start-up report. Any thread; never throws.
 *
 * <p>Netty tries several names and places for a library and suppresses the failures that do not
 * matter, so that only the line of causes is trusted, but for the one hint that it adds as
 * suppressed.
 */
final class NativeFailure {
  /** The C library's words in the POSIX locale; in others the kernel is asked again. */
  private static final List<Map.Entry<String, Integer>> ERRNO_OF_WORDS =
      List.of(
          Map.entry("Operation not permitted", LinuxConstants.EPERM),
          Map.entry("Permission denied", LinuxConstants.EACCES),
          Map.entry("Function not implemented", LinuxConstants.ENOSYS),
          Map.entry("Cannot allocate memory", LinuxConstants.ENOMEM),
          Map.entry("Too many open files in system", LinuxConstants.ENFILE),
          Map.entry("Too many open files", LinuxConstants.EMFILE));

  private final Backend backend;
  private final KernelRefusal refusal;

  NativeFailure(Backend backend, KernelRefusal refusal) {
    this.backend = backend;
    this.refusal = refusal;
  }

  /** Type and message of the innermost cause. */
  static String describe(Throwable failure) {
    return NativeLoadFailure.rootMessage(failure);
  }

  String reason(Throwable failure) {
    List<Throwable> causes = NativeLoadFailure.causes(failure);
    // As when Netty could not bring its library to the linker, or decide on where to put it.
    boolean loading = causes.stream().anyMatch(LinkageError.class::isInstance);
    for (Throwable cause : causes) {
      String message = cause.getMessage() == null ? "" : cause.getMessage();
      if (NativeLoadFailure.isNativeAccessDenied(cause)) {
        return NativeLoadFailure.reason("Netty", failure);
      }
      if (message.contains("io.netty.transport.noNative")) {
        return "native transports are switched off by -Dio.netty.transport.noNative=true";
      }
      if (message.contains("kernel version")) {
        return "the kernel is too old: " + message;
      }
      if (cause instanceof FileNotFoundException && message.startsWith("META-INF/native/")) {
        return "no native library on the class path: "
            + message
            + " is missing; add netty-transport-native-"
            + backend.label()
            + " "
            + NettyJars.NEEDED_VERSION
            + " with the classifier of this machine";
      }
      if (loading && cause instanceof IOException && !isSystemCall(cause)) {
        return "the native library cannot be unpacked" + unpackFailure(cause);
      }
    }
    if (NativeLoadFailure.chain(failure).stream().anyMatch(NativeFailure::saysNoexec)) {
      return "the native library cannot be loaded from the folder it is unpacked to,"
          + " which is mounted noexec; name another with -Dio.netty.native.workdir";
    }
    int errno = errno(causes);
    if (errno != 0) {
      return refusal.reason(backend, errno) + " (" + describe(failure) + ")";
    }
    return linkageContext(causes) + describe(failure);
  }

  private static String linkageContext(List<Throwable> causes) {
    for (Throwable cause : causes) {
      if (cause instanceof NoClassDefFoundError
          && cause.getMessage() != null
          && cause.getMessage().startsWith("Could not initialize class ")) {
        return "a class of Netty failed to initialise earlier, perhaps for another backend ("
            + cause.getMessage()
            + "): ";
      }
      if (cause instanceof IncompatibleClassChangeError || cause instanceof NoClassDefFoundError) {
        return "Netty's classes do not fit together: ";
      }
    }
    return "";
  }

  private static boolean isSystemCall(Throwable cause) {
    // Named and not linked against: it is Netty's, and the Netty at hand may be broken.
    return cause.getClass().getName().startsWith("io.netty.channel.unix.");
  }

  private static boolean saysNoexec(Throwable t) {
    return t.getMessage() != null && t.getMessage().contains("\"noexec\"");
  }

  private static String unpackFailure(Throwable cause) {
    String hint = "; name another folder with -Dio.netty.native.workdir";
    if (cause instanceof FileSystemException failure && failure.getFile() != null) {
      Path folder = Path.of(failure.getFile()).getParent();
      String why = failure.getReason();
      return " into "
          + folder
          + ": "
          + failure.getClass().getSimpleName()
          + (why == null ? "" : ": " + why)
          + hint;
    }
    return ": " + cause.getMessage() + hint;
  }

  /** 0 if none is behind it. */
  private int errno(List<Throwable> causes) {
    for (Throwable cause : causes) {
      if (cause instanceof LinkageError) {
        continue;
      }
      for (Map.Entry<String, Integer> words : ERRNO_OF_WORDS) {
        if (cause.getMessage() != null && cause.getMessage().contains(words.getKey())) {
          return words.getValue();
        }
      }
    }
    boolean askKernel =
        backend == Backend.IO_URING
            && causes.stream().noneMatch(LinkageError.class::isInstance)
            && Libc.unavailableReason() == null;
    try {
      return askKernel ? Libc.tryIoUringSetup() : 0;
    } catch (IOException e) {
      return 0; // the ring was made, but not closed: no refusal
    }
  }
}
