package io.penstock.shards.poller.nio;

import io.penstock.shards.poller.IoResult;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.ClosedChannelException;

/** Finds the errno in what the JDK throws, which has only the C library's text for it. */
final class NioErrors {
  private NioErrors() {}

  static int resultOf(IOException failure) {
    if (failure instanceof ClosedChannelException) {
      return IoResult.EPIPE;
    }
    String text = String.valueOf(failure.getMessage());
    if (text.contains("Connection reset")) {
      return IoResult.ECONNRESET;
    }
    if (text.contains("Broken pipe")) {
      return IoResult.EPIPE;
    }
    if (text.contains("Too many open files in system")) {
      return IoResult.ENFILE;
    }
    if (text.contains("Too many open files")) {
      return IoResult.EMFILE;
    }
    if (text.contains("timed out")) {
      return IoResult.ETIMEDOUT;
    }
    if (text.contains("Resource temporarily unavailable")) {
      return IoResult.WOULD_BLOCK;
    }
    if (failure instanceof ConnectException && text.contains("refused")) {
      return IoResult.ECONNREFUSED;
    }
    return IoResult.EIO;
  }
}
