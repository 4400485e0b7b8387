/** What a run prints, and what is measured of the process for it. */
package io.penstock.examples.smoke.report;
