import FirstlightModel
import GRDB
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

extension DatabaseWriter {
  /// Has each commit wait until it is on the disk, so that it survives the loss of power.
  ///
  /// For a database that is open: as it turns to a write-ahead log, GRDB sets `synchronous` to `NORMAL`, after
  /// `Configuration.prepareDatabase`. (https://www.sqlite.org/pragma.html#pragma_synchronous)
  package func syncCommits() throws {
    try writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
  }
}

/// SQLite's errors as people read them.
package enum SQLFailure {
  /// What a newer version keeps in a file, this one does not know: it neither reads nor writes it.
  package static func newer(_ path: String, _ noun: String) -> Failure {
    Failure(
      .data, "\(path): this \(noun) was created by a newer firstlightd",
      advice: "use that version or a newer one")
  }

  package static func of(_ error: any Error, path: String, opening: Bool = false) -> Failure {
    guard let error = error as? DatabaseError else { return Failure(.data, "\(path): \(error)") }
    let reason = error.message ?? "SQLite error \(error.resultCode.rawValue)"
    switch error.resultCode {
    case .SQLITE_FULL:
      return Failure(
        .unavailable, "\(path): no space left for the store", advice: "free space on its disk")
    case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_IOERR, .SQLITE_NOMEM:
      return Failure(.unavailable, "\(path): \(reason)")
    case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM:
      return Failure(
        opening ? .cannotCreate : .unavailable, "\(path): cannot be opened: \(reason)",
        advice: "choose a writable path")
    default:
      return .damagedStore(path, "\(reason), or not a store")
    }
  }
}
