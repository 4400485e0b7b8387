package io.penstock.examples.smoke.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SendWindowTest {

  @Test
  void wholeMessagesAreAdmittedUpToTheWindow() {
    SendWindow window = new SendWindow(100, 3, Long.MAX_VALUE);

    assertThat(window.admit()).isEqualTo(300);
    window.sent(300);
    assertThat(window.admit()).isZero();

    window.returned(99);
    assertThat(window.admit()).as("room for less than a message").isZero();
    window.returned(101);
    assertThat(window.admit()).isEqualTo(200);
  }

  @Test
  void whatIsAdmittedAndNotSentStaysAdmitted() {
    SendWindow window = new SendWindow(100, 2, Long.MAX_VALUE);

    assertThat(window.admit()).isEqualTo(200);
    window.sent(150);

    assertThat(window.admit()).isEqualTo(50);
    assertThat(window.sentTotal()).isEqualTo(150);
  }

  @Test
  void aMessageInFlightAtATimeIsPingPong() {
    SendWindow window = new SendWindow(64, 1, 128);

    assertThat(window.admit()).isEqualTo(64);
    window.sent(64);
    assertThat(window.isIdle()).isFalse();
    window.returned(64);
    assertThat(window.isIdle()).isTrue();
    assertThat(window.isDone()).as("one of two messages is back").isFalse();

    assertThat(window.admit()).isEqualTo(64);
    window.sent(64);
    window.returned(64);
    assertThat(window.isDone()).isTrue();
    assertThat(window.admit()).isZero();
  }

  @Test
  void theLastMessageMayBeShorter() {
    SendWindow window = new SendWindow(100, 64, 250);

    assertThat(window.admit()).isEqualTo(250);
  }

  @Test
  void aWindowWithoutBoundAdmitsWithoutOverflow() {
    SendWindow window = new SendWindow(512, Long.MAX_VALUE, Long.MAX_VALUE);

    assertThat(window.admit()).isGreaterThan(Long.MAX_VALUE - 512);
    window.sent(65_536);
    window.returned(65_536);

    assertThat(window.admit()).isPositive();
    assertThat(window.isDone()).isFalse();
  }

  @Test
  void bytesThatWereNeverSentAreAnError() {
    SendWindow window = new SendWindow(100, 2, Long.MAX_VALUE);
    window.admit();
    window.sent(100);

    assertThatThrownBy(() -> window.returned(101))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("1 bytes more came back than were sent");
  }
}
