/** The switches of the command line and what they amount to. */
package io.penstock.examples.smoke.options;
