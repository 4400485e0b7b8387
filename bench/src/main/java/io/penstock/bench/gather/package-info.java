/** Ways to send many buffers: one piece, one call each, copied together, gathered, and ours. */
package io.penstock.bench.gather;
