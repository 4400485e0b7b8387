package io.penstock.shards.poller.probe;

import io.penstock.shards.core.Backend;
import io.penstock.shards.os.Errno;
import io.penstock.shards.os.Platform;
import java.nio.file.Path;

/**
 * Says whether a backend can run here, and if not, why. Any thread; never throws. Netty loads its
 * native libraries on the first question and remembers the outcome for as long as the process
 * lives; all else is looked at anew each time.
 *
 * <p>For tests, the system property {@code penstock.test.fail.io_uring} (or {@code .epoll}) with
 * the name of an errno makes that backend unavailable as the kernel's refusal would: {@code EPERM},
 * {@code ENOSYS}, {@code ENOMEM}.
 */
public final class NativeProbe {
  static final String TEST_FAILURE_PREFIX = "penstock.test.fail.";

  private NativeProbe() {}

  /** The status of this backend now. */
  public static BackendStatus status(Backend backend) {
    if (backend == Backend.NIO) {
      return BackendStatus.available(backend);
    }
    String reason;
    try {
      reason = unavailableReason(backend);
    } catch (Throwable t) {
      // Broken class paths fail in ways that no list foresees, and asking must be safe.
      reason = "looking for it failed: " + NativeFailure.describe(t);
    }
    return reason == null
        ? BackendStatus.available(backend)
        : BackendStatus.unavailable(backend, reason);
  }

  /** Why this failure, thrown when a shard made its poller, keeps the backend from running. */
  public static String reasonFor(Backend backend, Throwable failure) {
    return new NativeFailure(backend, new KernelRefusal(Path.of("/proc"))).reason(failure);
  }

  private static String unavailableReason(Backend backend) {
    String injected = System.getProperty(TEST_FAILURE_PREFIX + backend.label());
    if (injected != null) {
      return injectedReason(backend, injected);
    }
    String unsupported = Platform.unsupportedReason();
    if (unsupported != null) {
      return unsupported;
    }
    String misfit = NettyJars.onClassPathOf(NativeProbe.class).problem(backend);
    if (misfit != null) {
      return misfit;
    }
    Throwable cause = unavailabilityCause(backend);
    return cause == null ? null : reasonFor(backend, cause);
  }

  private static Throwable unavailabilityCause(Backend backend) {
    try {
      return NettyNatives.unavailabilityCause(backend);
    } catch (Throwable t) {
      // Above all a LinkageError: Netty's classes are missing or do not fit together.
      return t;
    }
  }

  private static String injectedReason(Backend backend, String errnoName) {
    String property = TEST_FAILURE_PREFIX + backend.label() + "=" + errnoName;
    int errno;
    try {
      errno = Errno.valueOf(errnoName);
    } catch (IllegalArgumentException e) {
      return property + ": " + e.getMessage();
    }
    return new KernelRefusal(Path.of("/proc")).reason(backend, errno) + " (" + property + ")";
  }
}
