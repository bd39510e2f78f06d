import Foundation
import TestSupport
import Testing

/// The processes of a profile with what each called first, as SQLite and the format in
/// Documentation/Profiles.md give them, oldest first.
struct StoredTrace {
  var pid: Int
  /// The number of the process it was forked from.
  var forkedFrom: Int?
  /// Linker names, in order.
  var names: [String]

  static func all(of profile: String) throws -> [StoredTrace] {
    var functions: [String: String] = [:]
    for row in try query("SELECT build || ' ' || guard, name FROM guarded", of: profile) {
      functions[row[0]] = row[1]
    }
    return try query(
      "SELECT pid, ifnull(forked_from, ''), hex(trace) FROM process ORDER BY started_at",
      of: profile
    ).map { row in
      let bytes = stride(from: 0, to: row[2].count, by: 2).map { offset in
        let start = row[2].index(row[2].startIndex, offsetBy: offset)
        return UInt64(row[2][start...].prefix(2), radix: 16)!
      }
      return StoredTrace(
        pid: Int(row[0])!, forkedFrom: Int(row[1].prefix { $0 != "-" }),
        names: decode(bytes).map { functions[$0] ?? $0 })
    }
  }

  /// "build guard" of each call.
  private static func decode(_ bytes: [UInt64]) -> [String] {
    var numbers: [UInt64] = []
    var number: UInt64 = 0
    var shift: UInt64 = 0
    for byte in bytes {
      number |= (byte & 0x7f) << shift
      shift += 7
      if byte < 0x80 {
        numbers.append(number)
        (number, shift) = (0, 0)
      }
    }
    let calls = numbers.dropFirst(1 + Int(numbers[0]))
    var guardIndex: Int64 = 0
    return stride(from: calls.startIndex, to: calls.endIndex, by: 4).map { at in
      let zigzag = calls[at + 1]
      guardIndex += Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
      return "\(calls[at]) \(guardIndex)"
    }
  }

  private static func query(_ sql: String, of profile: String) throws -> [[String]] {
    try Command.check(["sqlite3", "-separator", "\t", profile, sql]).split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }
}
