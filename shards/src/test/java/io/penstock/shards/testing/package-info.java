/**
 * What tests of all modules share: tests for each backend and what they work with, clocks moved by
 * hand, checks for what a test left open.
 */
package io.penstock.shards.testing;
