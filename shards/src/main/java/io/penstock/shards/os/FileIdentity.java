package io.penstock.shards.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;

/**
 * Which file a path names just now, so that a Unix socket's file is unlinked only while it is still
 * the one that was bound. Symbolic links are not followed.
 *
 * @param device the kernel's {@code st_dev}
 * @param inode the inode number in that device
 * @param mode file type and permission bits, {@code st_mode}
 */
public record FileIdentity(long device, long inode, int mode) {

  /**
   * The file at a path that came through the JDK; needs no native call of ours, but a POSIX file
   * system.
   */
  public static FileIdentity of(Path path) throws IOException {
    Map<String, Object> attributes =
        Files.readAttributes(path, "unix:dev,ino,mode", LinkOption.NOFOLLOW_LINKS);
    return new FileIdentity(
        ((Number) attributes.get("dev")).longValue(),
        ((Number) attributes.get("ino")).longValue(),
        ((Number) attributes.get("mode")).intValue());
  }

  public boolean isSocket() {
    return (mode & LinuxConstants.S_IFMT) == LinuxConstants.S_IFSOCK;
  }

  /** True if both name the same file; its permissions may have changed in between. */
  public boolean isSameFile(FileIdentity other) {
    return device == other.device && inode == other.inode;
  }
}
