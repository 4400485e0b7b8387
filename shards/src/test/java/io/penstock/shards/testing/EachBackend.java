package io.penstock.shards.testing;

import io.penstock.shards.core.Backend;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that runs on each backend, given a {@link TestNet} or a {@link Backend}. What it leaves
 * open, in the process or in a pool, fails it.
 *
 * <p>A backend that is named in the environment variable {@code PENSTOCK_EXPECTED_BACKENDS}, such
 * as {@code io_uring,epoll,nio}, must be there; another one that is not there is skipped, with the
 * reason.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith({ResourceCheck.class, EachBackendInvocations.class})
public @interface EachBackend {
  /** The backends to run on. */
  Backend[] value() default {Backend.IO_URING, Backend.EPOLL, Backend.NIO};

  /** What to run over, each in turn. */
  Transport[] over() default Transport.TCP;
}
