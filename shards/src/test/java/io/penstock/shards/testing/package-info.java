/** What tests of all modules share: clocks moved by hand, checks for what a test left open. */
package io.penstock.shards.testing;
