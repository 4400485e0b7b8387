/** The seam between what the test's ends do and what carries their bytes. */
package io.penstock.examples.smoke.wire;
