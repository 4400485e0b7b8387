package io.penstock.shards.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.LoggerFactory;

/**
 * Notes what Penstock logs as an error, and what Netty warns of, until it is closed; meanwhile none
 * of their warnings reaches the console.
 */
final class ErrorLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {
  private static final List<String> LOGGERS = List.of("io.penstock", "io.netty");

  // Each text once, in order. Concurrent: shards log while a test looks.
  private final Set<String> errors = Collections.synchronizedSet(new LinkedHashSet<>());

  ErrorLog() {
    start();
    for (String name : LOGGERS) {
      logger(name).addAppender(this);
      logger(name).setAdditive(false);
    }
  }

  /** The texts that were logged so far. */
  List<String> errors() {
    synchronized (errors) {
      return List.copyOf(errors);
    }
  }

  @Override
  protected void append(ILoggingEvent event) {
    Level least = event.getLoggerName().startsWith("io.netty") ? Level.WARN : Level.ERROR;
    if (event.getLevel().isGreaterOrEqual(least)) {
      String cause =
          event.getThrowableProxy() == null
              ? ""
              : ": "
                  + event.getThrowableProxy().getClassName()
                  + ": "
                  + event.getThrowableProxy().getMessage();
      errors.add(event.getLevel() + " " + event.getFormattedMessage() + cause);
    }
  }

  @Override
  public void close() {
    for (String name : LOGGERS) {
      logger(name).setAdditive(true);
      logger(name).detachAppender(this);
    }
    stop();
  }

  private static Logger logger(String name) {
    return (Logger) LoggerFactory.getLogger(name);
  }
}
