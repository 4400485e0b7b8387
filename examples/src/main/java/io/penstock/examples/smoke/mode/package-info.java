/** The runs there are: throughput, byte checks, drain loops, churn; and the watchdog. */
package io.penstock.examples.smoke.mode;
