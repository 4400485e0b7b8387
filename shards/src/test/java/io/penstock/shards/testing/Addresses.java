package io.penstock.shards.testing;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Addresses out of their numbers, without any look-up. */
public final class Addresses {
  private static final int IPV6_BYTES = 16;

  private Addresses() {}

  /** Of {@code a.b.c.d}, or of {@code ::} or {@code ::n} with one digit. */
  public static InetSocketAddress at(String numbers, int port) {
    try {
      return new InetSocketAddress(InetAddress.getByAddress(bytes(numbers)), port);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("no address: " + numbers, e);
    }
  }

  private static byte[] bytes(String numbers) {
    if (numbers.startsWith("::")) {
      byte[] bytes = new byte[IPV6_BYTES];
      bytes[IPV6_BYTES - 1] =
          numbers.length() == 2 ? 0 : (byte) Character.digit(numbers.charAt(2), 16);
      return bytes;
    }
    String[] parts = numbers.split("\\.", -1);
    byte[] bytes = new byte[parts.length];
    for (int i = 0; i < parts.length; i++) {
      bytes[i] = (byte) Integer.parseInt(parts[i]);
    }
    return bytes;
  }
}
