/**
 * The operating system as the shards need it: every native call of our own, made through JNA, and
 * the constants that go with them. It imports nothing else of this module. Netty's natives are not
 * reached from here.
 */
package io.penstock.shards.os;
