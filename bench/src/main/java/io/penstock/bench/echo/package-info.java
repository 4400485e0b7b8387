/**
 * Programs that measure what a single figure of throughput hides: whether one connection or one
 * flood of tasks holds up the others, and what an idle connection costs.
 */
package io.penstock.bench.echo;
