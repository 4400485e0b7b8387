package io.penstock.shards.loop;

/** Has output to hand to the kernel at the end of the turn. */
@FunctionalInterface
public interface Flushable {
  void flush();
}
