import Glibc

/// The system's words for an error number.
package enum ErrorText {
  /// - Parameter code: as in `errno`.
  package static func of(_ code: Int32) -> String {
    // strerror(3) may give each caller the same memory.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { room in
      strerror_r(code, room.baseAddress!, room.count) == 0
        ? String(cString: room.baseAddress!) : "error \(code)"
    }
  }
}
