import FirstlightModel
import Foundation
import ProcessControl
import SystemSupport

/// A temporary git repository with the changed files alone, from which git writes patches.
package struct PatchRepository: ~Copyable {
  package struct Commit: Sendable {
    package var message: String
    package var changes: [FileChange]

    package init(message: String, changes: [FileChange]) {
      self.message = message
      self.changes = changes
    }
  }

  private let folder: String

  /// - Parameters:
  ///   - commits: each begins where the one before ends.
  ///   - author: "Name <address>".
  ///   - date: of all commits, seconds since 1970.
  /// - Throws: `Failure` of kind `inputOutput` if git is missing or fails.
  package init(
    _ commits: [Commit], author: String = "firstlight <firstlight@localhost>", date: Double = 0
  ) throws(Failure) {
    folder = FileManager.default.temporaryDirectory.path + "/firstlight-git-\(UUID().uuidString)"
    var originals: [TextBytes: FileChange] = [:]
    for change in commits.flatMap(\.changes) where originals[change.path] == nil {
      originals[change.path] = change
      originals[change.path]?.result = change.source
    }
    let base = Commit(message: "Base", changes: Array(originals.values))
    let person = "\(author) \(Int(max(0, date))) +0000"
    let stream = "\(folder)/stream"
    do throws(Failure) {
      try run(["init", "-q", "--bare", "--template="])
      try ResultFile.write(
        Self.stream([base], person, to: "base")
          + Self.stream(commits, person, to: "patch", from: "base"), to: stream)
      try run(["fast-import", "--quiet"], input: stream)
    } catch {
      Self.remove(folder)
      throw error
    }
  }

  deinit { Self.remove(folder) }

  private static func remove(_ folder: String) {
    try? FileManager.default.removeItem(atPath: folder)
  }

  // MARK: Patches

  private static let plain = ["--no-ext-diff", "--no-textconv"]

  /// All changes as one patch.
  package func difference() throws(Failure) -> [UInt8] {
    let patch = try ProgramLog("\(folder)/diff")
    try run(
      ["-c", "core.quotePath=false", "diff"] + Self.plain + ["base", "patch"], output: patch)
    do { return try FileContents.read(patch.path) } catch {
      throw Failure(.inputOutput, "\(patch.path): cannot be read: \(error.text)")
    }
  }

  /// Writes each commit as a mail for `git am`.
  package func writeMails(to path: String) throws(Failure) {
    try run(
      ["format-patch", "-q"] + Self.plain
        + [
          "--zero-commit", "--signature=firstlight \(ToolVersion.text)", "-o", path, "base..patch",
        ])
  }

  /// Ignores the user's configuration, so that all users get the same patches.
  private func run(
    _ arguments: [String], input: String = "/dev/null", output: ProgramLog? = nil
  ) throws(Failure) {
    let log = try ProgramLog()
    let git = Git(bareRepository: folder).command(
      arguments, environment: ["GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"],
      input: input, output: output, log: log)
    guard try git.run().exitStatus == 0 else {
      throw Failure(.inputOutput, "git cannot write the patch: \(log.lastLine)")
    }
  }

  // MARK: git-fast-import(1)

  private static func stream(
    _ commits: [Commit], _ person: String, to branch: String, from start: String? = nil
  ) -> [UInt8] {
    var stream: [UInt8] = []
    func add(data: [UInt8]) { stream += Array("data \(data.count)\n".utf8) + data + [0x0a] }
    for (number, commit) in commits.enumerated() {
      stream += "commit refs/heads/\(branch)\nauthor \(person)\ncommitter \(person)\n".utf8
      add(data: Array(commit.message.utf8))
      if number == 0, let start { stream += "from refs/heads/\(start)\n".utf8 }
      for change in commit.changes {
        guard let result = change.result else {
          stream += "D \(Escaping.gitPath(change.path))\n".utf8
          continue
        }
        let mode = change.isExecutable ? "100755" : "100644"
        stream += "M \(mode) inline \(Escaping.gitPath(change.path))\n".utf8
        add(data: result)
      }
    }
    return stream
  }
}
