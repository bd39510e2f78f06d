import Foundation
import TestSupport
import Testing

/// A debuginfod of this machine that has the files of one folder.
final class DebuginfodServer {
  let url: String
  private let command: RunningCommand

  init(files: String) throws {
    // It takes no port of its own choosing: one that is free now.
    let port = try Self.freePort()
    url = "http://127.0.0.1:\(port)"
    command = try Command.start([
      "sh", "-c", "exec debuginfod -v -d :memory: -p \(port) -F \"$0\" 2>&1", files,
    ])
    try command.waitForOutput { $0.contains("groomed") || $0.contains("grooming") ? true : nil }
  }

  deinit { stop() }

  func stop() { command.send(SIGKILL) }

  /// A port of 127.0.0.1 where nobody listens.
  static func freePort() throws -> String {
    try Command.check([
      "python3", "-c",
      "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1])",
    ]).trimmingCharacters(in: .newlines)
  }
}
