/** Carries the test's connections on shards. */
package io.penstock.examples.smoke.sharded;
