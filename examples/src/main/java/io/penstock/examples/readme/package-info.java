/** The code that the README shows; a test keeps the two the same and runs it. */
package io.penstock.examples.readme;
