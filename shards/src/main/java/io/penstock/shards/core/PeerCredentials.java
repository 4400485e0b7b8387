package io.penstock.shards.core;

/**
 * Who is at the other end of a Unix socket (unix(7), SO_PEERCRED), as of when it connected.
 *
 * @param processId its process, or -1 where the backend cannot know it
 * @param userId its user, or -1 where the backend knows only the name
 * @param groupId its group, or -1 likewise
 * @param userName its user's name, or null where the backend knows only the number
 */
public record PeerCredentials(int processId, int userId, int groupId, String userName) {}
