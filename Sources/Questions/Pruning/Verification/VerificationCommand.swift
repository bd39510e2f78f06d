import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport

/// A command that builds and tests in its own session: all its processes end with it.
package struct VerificationCommand {
  let text: String
  /// Timeout in seconds.
  let limit: Double

  /// A termination signal was received.
  package struct Interrupted: Error {
    package let signal: Int32
  }

  /// Runs the command to its end.
  ///
  /// - Parameters:
  ///   - folder: the working directory.
  ///   - log: path of the output file.
  ///   - what: a description for the progress display.
  /// - Throws: `Interrupted`; `Failure` if the command cannot be started.
  func run(in folder: String, log path: String, _ what: String) throws
    -> VerificationOutcome
  {
    let log = try ProgramLog(path)
    let shell = ProgramCommand(shell: text, in: folder, scope: .session, log: log)
    let ending = try shell.runToEnd(what, limit: limit)
    if let signal = ending.signal { throw Interrupted(signal: signal) }
    if ending.isLate {
      return failed(log, "the command took longer than \(TimeText.text(limit))")
    }
    return ending.status.exitStatus == 0
      ? .passed : failed(log, "the command \(ending.status.text)")
  }

  private func failed(_ log: ProgramLog, _ ending: String) -> VerificationOutcome {
    let text = (try? TextFile.read(log.path)) ?? ""
    let lines = text.lines.filter { !$0.isEmpty }.map(String.init)
    return .failed(lines: lines, reason: FailureLine.first(of: lines) ?? ending)
  }
}

/// The result of a build and its tests.
package enum VerificationOutcome: Hashable, Sendable {
  case passed
  /// The lines of output, and the first one that explains the failure.
  case failed(lines: [String], reason: String)

  /// The same result with paths relative to a folder.
  func relative(to folder: String) -> VerificationOutcome {
    guard case .failed(let lines, let reason) = self else { return self }
    func short(_ line: String) -> String { line.replacing(utf8: folder + "/", with: "") }
    return .failed(lines: lines.map(short), reason: short(reason))
  }
}
