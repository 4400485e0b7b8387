package io.penstock.shards.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.shards.ConnectionFailedException;
import io.penstock.shards.core.Endpoint;
import io.penstock.shards.net.CloseReason;
import io.penstock.shards.net.ConnectOptions;
import io.penstock.shards.testing.EachBackend;
import io.penstock.shards.testing.RawListener;
import io.penstock.shards.testing.RecordingHandler;
import io.penstock.shards.testing.TestNet;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

class RefusedConnectTest {

  @EachBackend
  void aConnectThatNobodyTakesFailsAtOnceAndNotByItsTimeout(TestNet net) throws Exception {
    Endpoint nobody;
    try (RawListener listener = net.rawListener(1)) {
      nobody = listener.endpoint();
    }
    ConnectOptions patient = ConnectOptions.defaults().withTimeout(Duration.ofMinutes(10));

    var connecting = net.connect(nobody, patient, RecordingHandler.silent()).toCompletableFuture();

    assertThatThrownBy(() -> connecting.get(20, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOfSatisfying(
            ConnectionFailedException.class,
            failure -> assertThat(failure.reason()).isInstanceOf(CloseReason.ConnectFailed.class))
        .hasMessageContaining("refused");
  }
}
