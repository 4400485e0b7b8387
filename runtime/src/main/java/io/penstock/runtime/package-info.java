/**
 * Where Pekko enters: the extension that starts the shards with an actor system, makes each of them
 * a dispatcher, reads their settings and stops them with the system.
 */
package io.penstock.runtime;
