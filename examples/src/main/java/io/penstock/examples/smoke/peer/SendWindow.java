package io.penstock.examples.smoke.peer;

/**
 * How much a client may have on its way. Whole messages are admitted while the window has room for
 * one; how they are cut up for sending is another matter. For one thread at a time.
 */
final class SendWindow {
  private final int messageBytes;
  private final long windowBytes;
  private long toAdmit;
  private long unsent;
  private long outstanding;
  private long sent;

  /**
   * A window in which nothing is on its way.
   *
   * @param windowMessages messages that may be on their way at once; Long.MAX_VALUE for any number
   * @param limitBytes what is to be sent in all, the last message perhaps shorter; Long.MAX_VALUE
   *     for ever
   */
  SendWindow(int messageBytes, long windowMessages, long limitBytes) {
    if (messageBytes <= 0 || windowMessages <= 0 || limitBytes <= 0) {
      throw new IllegalArgumentException(
          "a window needs positive sizes: "
              + messageBytes
              + " bytes, "
              + windowMessages
              + " messages, "
              + limitBytes
              + " bytes in all");
    }
    this.messageBytes = messageBytes;
    boolean unbounded = windowMessages > Long.MAX_VALUE / messageBytes;
    this.windowBytes = unbounded ? Long.MAX_VALUE : windowMessages * messageBytes;
    this.toAdmit = limitBytes;
  }

  /** Admits what there is room for; returns what is admitted and not sent yet. */
  long admit() {
    long room = windowBytes - outstanding;
    if (room >= messageBytes && toAdmit > 0) {
      long admitted = Math.min(room / messageBytes * messageBytes, toAdmit);
      toAdmit -= admitted;
      unsent += admitted;
      outstanding += admitted;
    }
    return unsent;
  }

  void sent(int lengthBytes) {
    unsent -= lengthBytes;
    sent += lengthBytes;
  }

  void returned(int lengthBytes) {
    outstanding -= lengthBytes;
    if (outstanding < unsent) {
      throw new IllegalStateException(
          (unsent - outstanding) + " bytes more came back than were sent");
    }
  }

  /** Bytes sent so far: where the next piece begins. */
  long sentTotal() {
    return sent;
  }

  /** True when all that was admitted is back. */
  boolean isIdle() {
    return outstanding == 0;
  }

  /** True when there is nothing left to send and all is back. */
  boolean isDone() {
    return toAdmit == 0 && outstanding == 0;
  }
}
