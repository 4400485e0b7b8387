/** The epoll backend: edges from Netty's {@code EpollIoHandler}, plain calls for the bytes. */
package io.penstock.shards.poller.epoll;
