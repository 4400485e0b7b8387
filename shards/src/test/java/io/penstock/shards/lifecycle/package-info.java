/** Groups of shards as they start, stop and fail to start, with connections and senders about. */
package io.penstock.shards.lifecycle;
