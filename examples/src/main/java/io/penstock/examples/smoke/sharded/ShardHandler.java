package io.penstock.examples.smoke.sharded;

import io.penstock.examples.smoke.count.Role;
import io.penstock.examples.smoke.count.Tally;
import io.penstock.examples.smoke.wire.Peer;
import io.penstock.shards.core.OnShard;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.net.CloseReason;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ConnectionHandler;
import java.util.function.Supplier;

/**
 * Gives each connection a peer and a wire when it opens. Both are made on the shard, so that what
 * one shard writes does not lie beside what another one writes.
 */
@OnShard
final class ShardHandler implements ConnectionHandler {
  private final ShardedLeg leg;
  private final Role role;
  private final Supplier<? extends Peer> peers;

  ShardHandler(ShardedLeg leg, Role role, Supplier<? extends Peer> peers) {
    this.leg = leg;
    this.role = role;
    this.peers = peers;
  }

  @Override
  public void onOpened(Connection connection) {
    Tally tally = leg.lanes().tally(connection.shardIndex());
    ShardWire wire = new ShardWire(leg, connection, tally, peers.get());
    connection.attach(wire);
    role.opened(tally);
    connection.demandUnbounded();
    wire.peer().onOpened(wire);
  }

  @Override
  public void onReceived(Connection connection, Segment segment) {
    ShardWire wire = (ShardWire) connection.attachment();
    role.received(wire.tally(), segment.length());
    wire.onReceived(segment);
  }

  @Override
  public void onPeerFinished(Connection connection) {
    ShardWire wire = (ShardWire) connection.attachment();
    wire.peer().onPeerFinished(wire);
  }

  @Override
  public void onWritable(Connection connection) {
    ShardWire wire = (ShardWire) connection.attachment();
    wire.peer().onWritable(wire);
  }

  @Override
  public void onClosed(Connection connection, CloseReason reason) {
    ShardWire wire = (ShardWire) connection.attachment();
    if (wire == null) {
      // It never opened; whoever connected is told.
      return;
    }
    wire.peer().onClosed(wire);
    role.closed(wire.tally());
  }
}
