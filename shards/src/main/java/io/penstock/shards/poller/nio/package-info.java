/** The portable backend: the JDK's selector and channels. Needs no native library of ours. */
package io.penstock.shards.poller.nio;
