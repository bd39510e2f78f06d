import Foundation
import TestSupport
import Testing

/// Tests that write a project into a git repository, record it, and apply patches to it.
protocol ProjectTests {
  var directory: TemporaryDirectory { get }
}

extension ProjectTests {
  var project: URL { directory.url.appending(path: "project") }

  /// Writes files and commits them.
  func commit(_ files: [String: String]) throws {
    for (path, text) in files { try directory.write(text, to: "project/\(path)") }
    try git("init", "-q", ".")
    try git("add", "-A")
    try git("commit", "-qm", "first")
  }

  @discardableResult
  func git(_ arguments: String...) throws -> String {
    try Command.check(
      ["git", "-c", "user.name=C", "-c", "user.email=c@example.org"] + arguments, in: project)
  }

  func firstlight(
    _ arguments: String..., environment: [String: String] = [:]
  ) throws -> CommandResult {
    try Command.run([Toolchain.firstlight] + arguments, in: project, environment: environment)
  }

  func text(_ path: String) throws -> String {
    try String(contentsOf: project.appending(path: path), encoding: .utf8)
  }

  /// Makes a copy of a profile as if it had been recorded some days before.
  func age(_ profile: String, days: Int, to path: String) throws {
    try FileManager.default.copyItem(
      at: project.appending(path: profile), to: project.appending(path: path))
    let seconds = days * 86400
    for sql in [
      "PRAGMA foreign_keys = OFF; UPDATE run SET id = 'old', "
        + "started_at = started_at - \(seconds), ended_at = ended_at - \(seconds)",
      "UPDATE process SET run = 'old', started_at = started_at - \(seconds)",
      "UPDATE coverage SET first_seen = first_seen - \(seconds), last_seen = last_seen - \(seconds)",
      "UPDATE counter SET first_seen = first_seen - \(seconds), last_seen = last_seen - \(seconds) "
        + "WHERE runs > 0",
    ] { try Command.check(["sqlite3", path, sql], in: project) }
  }
}
