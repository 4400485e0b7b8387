/**
 * What the backends share whose sockets are file descriptors, epoll and io_uring: plain calls
 * through Netty's native library.
 */
package io.penstock.shards.poller.fd;
