/** What the two ends of a connection do: clients with a window, echo servers, byte checks. */
package io.penstock.examples.smoke.peer;
