package io.penstock.shards.memory;

/**
 * The chunks of one size that have free segments, the one used last in front: what is leased next
 * is still in the cache, and what is not needed gathers at the end.
 */
final class ChunkList {
  private Chunk first;
  private Chunk last;

  Chunk first() {
    return first;
  }

  Chunk last() {
    return last;
  }

  boolean isEmpty() {
    return first == null;
  }

  void addFirst(Chunk chunk) {
    chunk.next = first;
    if (first == null) {
      last = chunk;
    } else {
      first.previous = chunk;
    }
    first = chunk;
  }

  void remove(Chunk chunk) {
    if (chunk.previous == null) {
      first = chunk.next;
    } else {
      chunk.previous.next = chunk.next;
    }
    if (chunk.next == null) {
      last = chunk.previous;
    } else {
      chunk.next.previous = chunk.previous;
    }
    chunk.previous = null;
    chunk.next = null;
  }

  void moveToFront(Chunk chunk) {
    if (chunk != first) {
      remove(chunk);
      addFirst(chunk);
    }
  }
}
