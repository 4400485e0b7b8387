package io.penstock.shards.loop;

/**
 * Something that a shard runs and that can say which one it is, for a stall report.
 *
 * <p>Thread: any, even while the shard is in the middle of this very object. So the answer must
 * come from fields that never change. An answer that throws is replaced by the name of the class.
 */
@FunctionalInterface
public interface Described {

  String describe();

  /** The description of whatever it is: its own if it has one, else the name of its class. */
  static String of(Object what) {
    if (what instanceof Described described) {
      try {
        return described.describe();
      } catch (RuntimeException failure) {
        return what.getClass().getName() + " (its description failed: " + failure + ")";
      }
    }
    return what.getClass().getName();
  }
}
