package io.penstock.shards.core;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The IPv4 loopback address, without asking a resolver. */
final class Loopback {
  static final InetAddress V4 = address();

  private Loopback() {}

  private static InetAddress address() {
    try {
      return InetAddress.getByAddress("localhost", new byte[] {127, 0, 0, 1});
    } catch (UnknownHostException e) {
      throw new AssertionError("four bytes are an IPv4 address", e);
    }
  }
}
