import Foundation
import TestSupport
import Testing

/// What makes a program see another time; see libfaketime(1).
enum WrongClock {
  /// - Parameter offset: to the real time, as `+400d`.
  static func environment(_ offset: String) throws -> [String: String] {
    [
      "LD_PRELOAD": try Command.check([
        "sh", "-c", "ls /usr/lib/*/faketime/libfaketimeMT.so.1",
      ]).trimmingCharacters(in: .newlines),
      "FAKETIME": offset, "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    ]
  }
}
