/** What the test counts: one tally per shard or worker, with one writer each. */
package io.penstock.examples.smoke.count;
