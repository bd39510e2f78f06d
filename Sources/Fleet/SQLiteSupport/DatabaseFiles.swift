import FirstlightModel
import GRDB
import Glibc
import ProfileFile

/// The files of an open database, by device and inode.
///
/// SQLite continues to write into removed or replaced files: such a commit succeeds, and is lost
/// when the process ends. Call `check()` after a commit, before acknowledging it.
package struct DatabaseFiles: Sendable {
  private struct Identity: Hashable {
    var device: UInt
    var inode: UInt

    /// Nil, with `errno` set, if the file does not exist.
    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      device = UInt(status.st_dev)
      inode = UInt(status.st_ino)
    }
  }

  private let known: [(path: String, identity: Identity)]

  /// - Parameter path: a database that is open for writing, with its write-ahead log.
  package init(of path: String) {
    known = ["", "-wal", "-shm"].compactMap { suffix in
      Identity(path + suffix).map { (path + suffix, $0) }
    }
  }

  /// - Throws: `.unavailable` if a file was removed or replaced.
  package func check() throws(Failure) {
    for (path, identity) in known {
      guard let present = Identity(path) else {
        throw Failure(
          .unavailable, "\(path): removed or moved while in use: \(ErrorText.of(errno))",
          advice: "put the very file back, or restart firstlightd")
      }
      guard present == identity else {
        throw Failure(
          .unavailable, "\(path): replaced while in use", advice: "restart firstlightd to use it")
      }
    }
  }
}

extension DatabaseWriter {
  /// Makes each commit wait for the disk, so that it survives a power loss.
  ///
  /// Call it on an open database: GRDB sets `synchronous` to `NORMAL` with the write-ahead log,
  /// after `Configuration.prepareDatabase`. (https://www.sqlite.org/pragma.html#pragma_synchronous)
  package func syncCommits() throws {
    try writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
  }
}
