/** The words that all other packages share: endpoints, socket options, backends, thread marks. */
package io.penstock.shards.core;
