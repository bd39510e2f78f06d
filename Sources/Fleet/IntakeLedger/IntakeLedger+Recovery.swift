import FirstlightModel
import Foundation
import GRDB
import SQLiteSupport

extension IntakeLedger {
  /// Opens the ledger, or makes it. A damaged one is put aside, and a new one begun: a reported gap is better
  /// than a daemon that never starts again.
  ///
  /// - Returns: the ledger, and where the damaged one is now; nil if none was.
  /// - Throws: as `init(path:)`. A newer version's ledger is not damaged.
  package static func opened(
    at path: String, inflate: @escaping EarlierOutbox.Inflate = { $0 }
  ) throws(Failure) -> (IntakeLedger, aside: String?) {
    do {
      let outbox = EarlierOutbox(inflate)
      let queue = try connect(path, outbox)
      if try isSound(queue) {
        return (try IntakeLedger(queue, at: path, earlier: outbox.report), nil)
      }
      try queue.close()
    } catch let error as DatabaseError where isDamage(error) {
      // As if it had opened, and the check had found that.
    } catch {
      throw (error as? Failure) ?? SQLFailure.of(error, path: path, opening: true)
    }
    let aside = path + ".damaged-\(UInt64(Date().timeIntervalSince1970))"
    for suffix in ["", "-wal", "-shm"]
    where rename(path + suffix, aside + suffix) != 0 && errno != ENOENT {
      throw Failure(
        .cannotCreate,
        "\(path): damaged, and cannot be moved away: \(ErrorText.of(errno))")
    }
    return (try IntakeLedger(path: path), aside)
  }

  private static func isSound(_ queue: DatabaseQueue) throws -> Bool {
    try queue.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") } == "ok"
  }

  private static func isDamage(_ error: DatabaseError) -> Bool {
    [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
  }
}
