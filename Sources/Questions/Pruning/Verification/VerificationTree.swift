import FirstlightModel
import SystemSupport

/// A temporary copy of a project in which patches are built and tested. It is made for the first run.
package final class VerificationTree {
  package let command: String
  private let root: String
  private let folder: String
  private let limit: Double
  private var copy: TreeCopy?
  private var number = 0

  /// - Parameters:
  ///   - root: the project's folder, an absolute path.
  ///   - folder: working directory of the command; an absolute path in the project.
  ///   - limit: timeout of one run, seconds.
  package init(of root: String, command: String, in folder: String, limit: Double) {
    self.root = root
    self.command = command
    self.folder = folder
    self.limit = limit
  }

  /// Builds and tests the project with a patch.
  ///
  /// - Parameter what: the functions that the patch changes, for the progress display.
  /// - Throws: `VerificationCommand.Interrupted`; failures of `TreeCopy`.
  func run(_ patch: PrunePatch, _ what: String) throws -> VerificationOutcome {
    defer { Terminal.clearProgress() }
    if copy == nil {
      Terminal.step("copying \(root)")
      copy = try TreeCopy(of: root) {
        try VerificationCommand(text: $0, limit: limit).run(
          in: root, log: $1, "copying \(root)")
      }
    }
    guard let copy else { return .passed }
    number += 1
    try copy.apply(patch.changes)
    let line = command.lines.joined(separator: " ")
    let step = "run \(number), \(patch.changes.isEmpty ? "unchanged" : "without \(what)"): \(line)"
    Terminal.step(step)
    let verification = VerificationCommand(text: command, limit: limit)
    return try verification.run(in: copy.root + folder.dropFirst(root.count), log: copy.log, step)
      .relative(to: copy.root)
  }
}
