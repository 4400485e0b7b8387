/** The control: one selector thread and a pool of workers, by hand on the JDK's own channels. */
package io.penstock.examples.smoke.managed;
