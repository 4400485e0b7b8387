package io.penstock.shards.testing;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** Keeps what a class logs, from any thread, and keeps it off the console, until it is closed. */
public final class CapturedLog implements AutoCloseable {

  private final Logger logger;
  private final Memory memory = new Memory();

  private CapturedLog(Logger logger) {
    this.logger = logger;
  }

  public static CapturedLog of(Class<?> logging) {
    CapturedLog log = new CapturedLog((Logger) LoggerFactory.getLogger(logging));
    log.memory.start();
    log.logger.addAppender(log.memory);
    log.logger.setAdditive(false);
    return log;
  }

  public List<ILoggingEvent> events() {
    return List.copyOf(memory.events);
  }

  @Override
  public void close() {
    logger.setAdditive(true);
    logger.detachAppender(memory);
    memory.stop();
  }

  private static final class Memory extends AppenderBase<ILoggingEvent> {
    // Copied on write: a test may look while another thread still logs.
    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();

    @Override
    protected void append(ILoggingEvent event) {
      events.add(event);
    }
  }
}
