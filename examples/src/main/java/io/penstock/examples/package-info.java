/** The programs behind the executable jar, one subcommand each. */
package io.penstock.examples;
