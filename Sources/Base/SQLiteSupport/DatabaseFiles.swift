import FirstlightModel
import Glibc

/// The files of an open database, by device and inode.
///
/// SQLite goes on writing into files that were removed or replaced: such a commit succeeds, and is gone when
/// the process ends. Call `check()` after a commit, before acknowledging it.
package struct DatabaseFiles: Sendable {
  private struct Identity: Hashable {
    var device: UInt
    var inode: UInt

    /// Nil, with `errno`, if nothing is there.
    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      device = UInt(status.st_dev)
      inode = UInt(status.st_ino)
    }
  }

  private let known: [(path: String, identity: Identity)]

  /// - Parameter path: a database that is open to be written, with its write-ahead log.
  package init(of path: String) {
    known = ["", "-wal", "-shm"].compactMap { suffix in
      Identity(path + suffix).map { (path + suffix, $0) }
    }
  }

  /// - Throws: `.unavailable` if one of them is not where it was.
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
