import Foundation
import Testing

/// A real program run to its end, with all that it said.
package struct CommandResult: Sendable {
  package var status: Int32
  /// Whether a signal ended it; `status` is then the signal.
  package var signalled: Bool
  package var output: String
  package var errors: String

  package init(status: Int32, signalled: Bool, output: String, errors: String) {
    self.status = status
    self.signalled = signalled
    self.output = output
    self.errors = errors
  }
}

package enum Command {
  /// Runs a program from PATH or by absolute path and waits for its end.
  package static func run(
    _ arguments: [String], in directory: URL? = nil, environment: [String: String] = [:],
    input: String? = nil
  ) throws -> CommandResult {
    let process = try start(arguments, in: directory, environment: environment, input: input)
    return try process.wait()
  }

  /// Runs a program that has to succeed.
  @discardableResult
  package static func check(
    _ arguments: [String], in directory: URL? = nil, environment: [String: String] = [:],
    input: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let result = try run(arguments, in: directory, environment: environment, input: input)
    try #require(
      result.status == 0 && !result.signalled,
      "\(arguments.joined(separator: " "))\n\(result.output.suffix(4000))\n\(result.errors.suffix(4000))",
      sourceLocation: sourceLocation)
    return result.output
  }

  package static func start(
    _ arguments: [String], in directory: URL? = nil, environment: [String: String] = [:],
    input: String? = nil
  ) throws -> RunningCommand {
    try RunningCommand(arguments, in: directory, environment: environment, input: input)
  }
}

/// A program that runs.
package final class RunningCommand {
  package let process = Process()
  private let files: TemporaryDirectory
  private let pipe = Pipe()
  private var received = Data()

  fileprivate init(
    _ arguments: [String], in directory: URL?, environment: [String: String], input: String?
  ) throws {
    files = try TemporaryDirectory()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // Threads that run tests block signals, and programs would inherit that.
    process.arguments = ["--default-signal"] + arguments
    if let directory { process.currentDirectoryURL = directory }
    var merged = ProcessInfo.processInfo.environment
    // A recorded test run must not have its children recorded into its own trace directory.
    merged["FIRSTLIGHT_DIR"] = nil
    merged["PATH"] = Toolchain.path
    merged["XDG_STATE_HOME"] = TemporaryDirectory.state
    merged.merge(environment) { $1 }
    process.environment = merged
    let input = try files.write(input ?? "", to: "input")
    let errors = try files.write("", to: "errors")
    process.standardOutput = pipe
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errors))
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: input))
    try process.run()
  }

  package var output: String { String(decoding: received, as: UTF8.self) }

  package var errors: String {
    (try? String(contentsOfFile: files.path("errors"), encoding: .utf8)) ?? ""
  }

  /// Waits for the end of the output, then of the program.
  package func wait() throws -> CommandResult {
    received += try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return CommandResult(
      status: process.terminationStatus,
      signalled: process.terminationReason == .uncaughtSignal, output: output, errors: errors)
  }

  /// Sends nothing to a program that has ended: another may have its identifier by then.
  package func send(_ signal: Int32) {
    if process.isRunning { kill(process.processIdentifier, signal) }
  }

  /// How long anything may take that a test waits for. Only what will never come takes that long.
  private static let patience = Duration.seconds(180)

  /// Reads standard output until `found` has a value for what came so far. Fails with all that came if
  /// the program ends first, or nothing comes of it for minutes.
  @discardableResult
  package func waitForOutput<Value>(
    sourceLocation: SourceLocation = #_sourceLocation, _ found: (String) -> Value?
  ) throws -> Value {
    let deadline = ContinuousClock.now + Self.patience
    while true {
      if let value = found(output) { return value }
      try #require(
        ContinuousClock.now < deadline && receive(milliseconds: 1000),
        "waited in vain: \(output.suffix(4000))\n\(errors)", sourceLocation: sourceLocation)
    }
  }

  /// Asks again and again until something is so, as long as the program runs; reads meanwhile what it
  /// says, so that it never waits for us. Fails as `waitForOutput` does.
  package func wait(
    sourceLocation: SourceLocation = #_sourceLocation, until isSo: () throws -> Bool
  ) throws {
    let deadline = ContinuousClock.now + Self.patience
    while !(try isSo()) {
      try #require(
        ContinuousClock.now < deadline && receive(milliseconds: 10),
        "waited in vain: \(output.suffix(4000))\n\(errors)", sourceLocation: sourceLocation)
    }
  }

  /// Waits for the end of the output; of a program that does not end, makes one and fails.
  package func waitForEnd(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let deadline = ContinuousClock.now + Self.patience
    while receive(milliseconds: 1000) {
      guard ContinuousClock.now >= deadline else { continue }
      send(SIGKILL)
      try #require(
        Bool(false), "does not end: \(output.suffix(4000))\n\(errors)",
        sourceLocation: sourceLocation)
    }
  }

  /// Takes in what it has said, waiting a moment for it.
  /// - Returns: false if it has ended.
  private func receive(milliseconds: Int32) -> Bool {
    var polled = pollfd(
      fd: pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&polled, 1, milliseconds) > 0 else { return true }
    let more = pipe.fileHandleForReading.availableData
    received += more
    return !more.isEmpty
  }
}
