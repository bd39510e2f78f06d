import FirstlightModel
import GRDB
import Glibc
import ProfileFile

/// Messages for SQLite's errors.
package enum SQLFailure {
  package static func of(_ error: any Error, path: String, opening: Bool = false) -> Failure {
    let raw = (error as? SQLiteError).map {
      DatabaseError(resultCode: ResultCode(rawValue: $0.code), message: $0.message)
    }
    guard let error = raw ?? error as? DatabaseError else {
      return Failure(.data, "\(path): \(error)")
    }
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
