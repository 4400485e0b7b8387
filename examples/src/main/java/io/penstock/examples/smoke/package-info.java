/** The echo smoke test: the command that picks what carries the connections and what they do. */
package io.penstock.examples.smoke;
