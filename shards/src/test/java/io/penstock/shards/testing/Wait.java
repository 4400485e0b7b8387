package io.penstock.shards.testing;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.awaitility.core.ConditionTimeoutException;

/** Waiting with a deadline, by looking again and again. */
public final class Wait {
  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final Duration POLL = Duration.ofMillis(2);

  private Wait() {}

  /** Fails if that does not become true in time. */
  public static void until(String what, Callable<Boolean> condition) {
    until(() -> what, condition);
  }

  /** As above; the text is made when it has failed. */
  public static void until(Supplier<String> what, Callable<Boolean> condition) {
    until(DEADLINE, what, condition);
  }

  public static void until(Duration deadline, Supplier<String> what, Callable<Boolean> condition) {
    try {
      await().pollInSameThread().pollInterval(POLL).atMost(deadline).until(condition);
    } catch (ConditionTimeoutException e) {
      throw new AssertionError("not within " + deadline + ": " + what.get(), e);
    }
  }

  /** Fails if that is or becomes false within a time. */
  public static void whileTrue(Duration time, String what, Callable<Boolean> condition) {
    try {
      await()
          .pollInSameThread()
          .pollInterval(POLL)
          .during(time)
          .atMost(time.plus(DEADLINE))
          .failFast(what + " holds no longer", () -> !condition.call())
          .until(condition);
    } catch (ConditionTimeoutException e) {
      throw new AssertionError("not for " + time + ": " + what, e);
    }
  }
}
