package io.penstock.shards.net;

import io.penstock.shards.core.OnShard;
import java.util.Arrays;
import java.util.function.Consumer;

/** The connections of a shard, in no order. Adding and removing take constant time. */
@OnShard
final class ConnectionTable {
  private Connection[] connections = new Connection[64];
  private int size;

  int size() {
    return size;
  }

  /** The one at that place now; places change as connections come and go. */
  Connection at(int index) {
    return connections[index];
  }

  void add(Connection connection) {
    if (size == connections.length) {
      connections = Arrays.copyOf(connections, size * 2);
    }
    connection.setTableIndex(size);
    connections[size++] = connection;
  }

  void remove(Connection connection) {
    int at = connection.tableIndex();
    assert connections[at] == connection : connection + " is not at " + at;
    Connection last = connections[--size];
    connections[at] = last;
    last.setTableIndex(at);
    connections[size] = null;
  }

  /** Each connection that is there now; the action may remove it and others. */
  void forEach(Consumer<Connection> action) {
    for (Connection connection : Arrays.copyOf(connections, size)) {
      action.accept(connection);
    }
  }
}
