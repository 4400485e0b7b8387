package io.penstock.shards.core;

import java.io.IOException;

/** An option was asked for that this backend cannot set on this kind of socket. */
public final class UnsupportedSocketOptionException extends IOException {
  private static final long serialVersionUID = 1L;

  private final SocketOption option;

  public UnsupportedSocketOptionException(SocketOption option, String where) {
    super(option + " cannot be set on " + where);
    this.option = option;
  }

  /** The option that was refused. */
  public SocketOption option() {
    return option;
  }
}
