/** What a buffer costs, by where it comes from. */
package io.penstock.bench.memory;
