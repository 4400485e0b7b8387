package io.penstock.examples.smoke.options;

/** A backend of the original that no JVM has, and why. */
public enum DeclaredBackend {
  IOCP(
      "--iocp: completion ports are a Windows interface; on Windows the JDK's asynchronous channels"
          + " are built on them, and penstock has no backend for Windows. It cannot run here."),
  RIO(
      "--rio: registered I/O is a Windows interface that the JDK does not offer: it needs a function"
          + " table of Winsock and memory registered with it, and carries TCP only. It cannot run"
          + " on a JVM.");

  private final String reason;

  DeclaredBackend(String reason) {
    this.reason = reason;
  }

  public String reason() {
    return reason;
  }
}
