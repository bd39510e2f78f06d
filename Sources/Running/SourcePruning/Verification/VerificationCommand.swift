import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport
import TextFormatting

/// A command that builds and tests, in a session of its own: all that it starts ends with it.
package struct VerificationCommand {
  package let text: String
  /// Seconds.
  package let limit: Double
  private let signals: HeldSignals

  /// A signal asked us to end.
  package struct Interrupted: Error {
    package let signal: Int32
  }

  /// - Parameter signals: what is held back meanwhile.
  package init(_ text: String, limit: Double, signals: HeldSignals) {
    self.text = text
    self.limit = limit
    self.signals = signals
  }

  /// Runs it to its end.
  ///
  /// - Parameters:
  ///   - folder: where.
  ///   - log: a file for what it writes.
  ///   - what: for people who watch.
  /// - Throws: `Interrupted`; `Failure` if it cannot be started.
  package func run(in folder: String, log path: String, _ what: String) throws
    -> VerificationOutcome
  {
    let log = try ProgramLog(path)
    let session = try ProcessSession(
      ["/bin/sh", "-c", "cd \(ShellText.quoted(folder)) && {\n\(text)\n}"], log: log)
    defer { session.end() }
    let start = Clock.monotonic()
    let deadline = start + limit
    while true {
      if let status = session.ending {
        Terminal.clearProgress()
        return status.exitStatus == 0 ? .passed : failed(log, "the command \(status.text)")
      }
      if Terminal.isWatched {
        let seconds = Int(Clock.monotonic() - start)
        Terminal.progress("\(what)  \(seconds) s  \(log.lastLine.prefix(60))")
      }
      let next = Terminal.isWatched ? min(deadline, Clock.monotonic() + 0.2) : deadline
      if let signal = signals.next(until: next) { throw Interrupted(signal: signal) }
      if Clock.monotonic() >= deadline {
        Terminal.clearProgress()
        return failed(log, "the command took longer than \(TimeText.text(limit))")
      }
    }
  }

  private func failed(_ log: ProgramLog, _ ending: String) -> VerificationOutcome {
    let text = (try? TextFile.read(log.path)) ?? ""
    let lines = text.split(whereSeparator: \.isNewline).map(String.init)
    return .failed(lines: lines, reason: FailureLine.first(of: lines) ?? ending)
  }
}
