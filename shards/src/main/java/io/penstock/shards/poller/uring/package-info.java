/**
 * The io_uring backend: completions from Netty's {@code IoUringIoHandler}. It uses both of what the
 * kernel offers, polls on the ring with plain calls behind them, and receives and sends on the
 * ring.
 */
package io.penstock.shards.poller.uring;
