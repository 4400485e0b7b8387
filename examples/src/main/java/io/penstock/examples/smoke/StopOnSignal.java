package io.penstock.examples.smoke;

import io.penstock.examples.smoke.mode.StopSignal;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Lets a run end in order when the process is told to end, and the process wait for that. */
final class StopOnSignal {
  private static final long WAIT_SECONDS = 20;

  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread hook;

  StopOnSignal(StopSignal stop) {
    hook =
        new Thread(
            () -> {
              stop.stop();
              awaitEnd();
            },
            "smoke-stop");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  private void awaitEnd() {
    try {
      if (!ended.await(WAIT_SECONDS, TimeUnit.SECONDS)) {
        System.err.println("smoke: the run did not end within " + WAIT_SECONDS + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The run has ended, whatever ended it. */
  void ended() {
    ended.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process ends already: the hook runs, and waits for the line above.
      return;
    }
  }
}
