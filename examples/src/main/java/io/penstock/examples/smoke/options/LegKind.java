package io.penstock.examples.smoke.options;

import io.penstock.shards.core.Backend;
import java.util.Optional;

/**
 * What is to carry the connections.
 *
 * @param managed whether it is the control
 * @param backend the backend that was named; empty for the best there is, or for the control
 */
public record LegKind(boolean managed, Optional<Backend> backend) {

  /** Shards on the best backend there is. */
  public static final LegKind AUTO = new LegKind(false, Optional.empty());

  public static final LegKind MANAGED = new LegKind(true, Optional.empty());

  public static LegKind of(Backend backend) {
    return new LegKind(false, Optional.of(backend));
  }

  /** True for what is known, before anything starts, to stand on the JDK's own channels. */
  public boolean isJdk() {
    return managed || backend.equals(Optional.of(Backend.NIO));
  }

  /** As the command line names it. */
  public String label() {
    return managed ? "managed" : backend.map(Backend::label).orElse("auto");
  }
}
