import FirstlightModel
import GRDB

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
