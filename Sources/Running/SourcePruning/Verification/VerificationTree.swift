import DeclarationRemoval
import FirstlightModel
import SystemSupport

/// A temporary copy of a project in which patches are built and tested. It is made for the first run.
package final class VerificationTree {
  package let command: String
  private let root: String
  private let folder: String
  private let limit: Double
  private let signals: HeldSignals
  /// Whether a warning with a mark's text counts as a failure.
  private let refusesMarks: Bool
  private var copy: TreeCopy?
  private var number = 0

  /// - Parameters:
  ///   - root: the project's folder, an absolute path.
  ///   - folder: working directory of the command; an absolute path in the project.
  ///   - limit: timeout of one run, seconds.
  ///   - signals: held back since before other threads started.
  package init(
    of root: String, command: String, in folder: String, limit: Double, signals: HeldSignals,
    refusesMarks: Bool = false
  ) {
    self.root = root
    self.command = command
    self.folder = folder
    self.limit = limit
    self.signals = signals
    self.refusesMarks = refusesMarks
  }

  /// Builds and tests the project with a patch.
  ///
  /// - Parameter what: the functions that the patch changes, for the progress display.
  /// - Throws: `VerificationCommand.Interrupted`; failures of `TreeCopy`.
  func run(_ patch: PrunePatch, _ what: String) throws -> VerificationOutcome {
    defer { Terminal.clearProgress() }
    if copy == nil {
      Terminal.step("copying \(root)")
      copy = try TreeCopy(of: root, check: signals.check)
    }
    guard let copy else { return .passed }
    number += 1
    try copy.apply(patch.changes)
    let step = "run \(number), \(refusesMarks ? "with marks on" : "without") \(what): \(command)"
    Terminal.step(step)
    let verification = VerificationCommand(command, limit: limit, signals: signals)
    let outcome = try verification.run(
      in: copy.root + folder.dropFirst(root.count), log: copy.log, step)
    return (markWarnings(outcome, copy.log) ?? outcome).relative(to: copy.root)
  }

  /// The failure of a passing run that warns of a mark; nil: there is none.
  private func markWarnings(
    _ outcome: VerificationOutcome, _ log: String
  ) -> VerificationOutcome? {
    guard refusesMarks, outcome == .passed, let text = try? TextFile.read(log) else { return nil }
    let lines = text.split(whereSeparator: \.isNewline).map(String.init)
    let warning = lines.first {
      $0.contains("warning: ") && $0.contains(RetirementMark.end)
    }
    return warning.map { .failed(lines: lines, reason: $0) }
  }
}
