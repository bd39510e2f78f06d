import Foundation
import TestSupport
import Testing

/// What makes a program see another time; see libfaketime(1).
enum WrongClock {
  /// - Parameter offset: to the real time, as `+400d`.
  static func environment(_ offset: String) throws -> [String: String] {
    try libraries().merging(["FAKETIME": offset]) { $1 }
  }

  /// - Parameter file: holds the offset, and is read each time that the program asks for the time.
  static func jumping(by file: String) throws -> [String: String] {
    try libraries().merging(["FAKETIME_TIMESTAMP_FILE": file, "FAKETIME_NO_CACHE": "1"]) { $1 }
  }

  private static func libraries() throws -> [String: String] {
    let faketime = try Command.check([
      "sh", "-c", "ls /usr/lib/*/faketime/libfaketimeMT.so.1",
    ]).trimmingCharacters(in: .newlines)
    return [
      "LD_PRELOAD": "\(try realTimers.get()):\(faketime)", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    ]
  }

  /// See Tests/Fixtures/clock/real_timers.c.
  private static let realTimers = Result {
    let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/clock/real_timers.c")
    let library = try TemporaryDirectory.untilTheEnd().appending(path: "real_timers.so").path
    try Command.check(["clang", "-shared", "-fPIC", "-O1", source.path, "-o", library])
    return library
  }
}
