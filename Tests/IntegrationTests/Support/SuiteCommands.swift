import Foundation
import TestSupport
import Testing

/// Tests of `firstlight test`.
protocol SuiteCommands {}

extension SuiteCommands {
  func test(
    _ arguments: [String], in directory: TemporaryDirectory, folder: String = "",
    environment: [String: String] = [:]
  ) throws -> CommandResult {
    try Command.run(
      [Toolchain.firstlight, "test"] + arguments, in: directory.url.appending(path: folder),
      environment: environment)
  }

  /// The rows of a list: the names behind bytes.
  func names(_ text: String) -> [String] {
    text.matches(of: /(?m)^ +[0-9-]+ +[0-9]+ B  (.*)$/).map { String($0.1) }
  }
}
