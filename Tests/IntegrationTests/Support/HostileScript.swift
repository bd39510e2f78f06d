import Foundation
import TestSupport
import Testing

/// The scripts in Tests/Fixtures/fleet, which write what hosts send and programs leave as strangers do.
enum HostileScript {
  static func start(
    _ name: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> RunningCommand {
    try Command.start(
      ["python3", "-B", Toolchain.project.appending(path: "Tests/Fixtures/fleet/\(name).py").path]
        + arguments, environment: environment)
  }

  /// Runs one and gives what it prints; takes in what a daemon says meanwhile, so that it never waits.
  @discardableResult
  static func run(
    _ name: String, _ arguments: String..., beside daemon: Daemon? = nil
  ) throws -> String {
    let script = try start(name, arguments)
    try daemon?.command.wait { !script.process.isRunning }
    let result = try script.wait()
    try #require(result.status == 0, "\(result.errors)")
    return result.output
  }
}

/// A daemon that listens, with a token that may do everything.
struct Listener {
  let daemon: Daemon
  let url: String
  let token: String

  init(
    _ fleet: FleetFixture, _ arguments: [String], environment: [String: String] = [:],
    before: [String] = []
  ) throws {
    let directory = fleet.program.directory
    let tokens = directory.path("tokens")
    token = try Command.check([
      Daemon.path, "token", "add", "--role", "admin", "--name", UUID().uuidString, "--file", tokens,
    ]).trimmingCharacters(in: .newlines)
    let config = try directory.write("token-file = \(tokens)\n", to: "config")
    daemon = try Daemon(
      ["--config", config, "--listen", "127.0.0.1:0"] + arguments, environment: environment,
      before: before)
    url = "http://127.0.0.1:\(try daemon.port())"
  }
}

extension FleetFixture {
  var arguments: [String] { ["--spool", spool, "--store", "sqlite:\(store)"] }
}
