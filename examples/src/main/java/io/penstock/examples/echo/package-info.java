/** The echo server: the smallest program on shards, and the one that is measured. */
package io.penstock.examples.echo;
