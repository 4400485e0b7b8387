package io.penstock.examples.readme;

import io.penstock.shards.Listener;
import io.penstock.shards.ShardGroup;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.memory.Segment;
import io.penstock.shards.net.Connection;
import io.penstock.shards.net.ConnectionHandler;
import io.penstock.shards.net.ListenOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A server that answers in capitals. */
public final class Shouting {
  private Shouting() {}

  // README begin
  static final class Shouter implements ConnectionHandler {
    @Override
    public void onOpened(Connection connection) {
      connection.demand(1); // nothing is read before it is asked for
    }

    @Override
    public void onReceived(Connection connection, Segment segment) {
      String heard = new String(segment.toByteArray(), StandardCharsets.UTF_8);
      segment.release(); // a segment has one owner, now this handler
      byte[] answer = heard.toUpperCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8);
      Segment reply = connection.lease(answer.length);
      reply.append(answer, 0, answer.length);
      connection.write(reply); // passes on, and leaves at the end of the turn
      connection.demand(1);
    }
  }

  static Listener serve(ShardGroup group, Endpoint where) throws IOException {
    return group.listen(where, ListenOptions.defaults(), Shouter::new);
  }
  // README end
}
