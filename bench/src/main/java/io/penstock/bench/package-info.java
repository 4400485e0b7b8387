/** JMH benchmarks of what costs time on a shard, one class for each question asked. */
package io.penstock.bench;
