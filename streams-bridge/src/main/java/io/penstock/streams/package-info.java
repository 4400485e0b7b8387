/** Connections as Pekko Streams and Reactive Streams, with backpressure down to the socket. */
package io.penstock.streams;
