package io.penstock.shards.poller.fd;

import io.netty.channel.unix.Errors.NativeIoException;
import io.penstock.shards.poller.IoResult;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.NoRouteToHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the errno in what Netty throws for a failed connect, where it stands only in the message.
 */
final class ConnectErrors {
  private static final Pattern ERRNO = Pattern.compile("error\\((-\\d+)\\)");
  private static final int EHOSTUNREACH = -113;

  private ConnectErrors() {}

  static int resultOf(IOException failure) {
    if (failure instanceof NativeIoException known) {
      return known.expectedErr();
    }
    if (failure instanceof FileNotFoundException) {
      return IoResult.ENOENT;
    }
    if (failure instanceof NoRouteToHostException) {
      return EHOSTUNREACH;
    }
    Matcher matcher = ERRNO.matcher(String.valueOf(failure.getMessage()));
    return matcher.find() ? Integer.parseInt(matcher.group(1)) : IoResult.EIO;
  }
}
