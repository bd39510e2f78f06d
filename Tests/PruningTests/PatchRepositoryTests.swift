import Foundation
import ProcessControl
import Pruning
import TestSupport
import Testing

/// Git takes what git wrote: bytes, modes and paths of any kind.
@Suite struct PatchRepositoryTests {
  private let directory: TemporaryDirectory
  private static let path = "some \"odd\\ ß\"/a.txt"

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("one\ntwo\nthree", to: "project/\(Self.path)")
    try directory.write("#!/bin/sh\n", to: "project/run.sh")
    let shell = """
      chmod 755 run.sh && git init -q . && git add -A && git config user.name N &&
      git config user.email n@example.org && git commit -qm first
      """
    try Command.check(["sh", "-c", shell], in: project)
  }

  private var project: URL { directory.url.appending(path: "project") }

  private var commits: [PatchRepository.Commit] {
    func change(_ source: String, _ result: String) -> FileChange {
      FileChange(path: Self.path, source: Array(source.utf8), result: Array(result.utf8))
    }
    let script = FileChange(
      path: "run.sh", source: Array("#!/bin/sh\n".utf8), result: nil, isExecutable: true)
    return [
      .init(message: "Straße\n\nWhy.", changes: [change("one\ntwo\nthree", "one\nthree"), script]),
      .init(message: "Next", changes: [change("one\nthree", "one\n")]),
    ]
  }

  private func expectResult() throws {
    #expect(
      try String(contentsOf: project.appending(path: Self.path), encoding: .utf8) == "one\n")
    #expect(!FileManager.default.fileExists(atPath: project.appending(path: "run.sh").path))
  }

  @Test func differenceApplies() throws {
    try Data(PatchRepository(commits).difference())
      .write(to: directory.url.appending(path: "all.diff"))
    try Command.check(["git", "apply", directory.path("all.diff")], in: project)
    try expectResult()
  }

  @Test func mailsApplyWithAuthorAndText() throws {
    try PatchRepository(commits, author: "Ünal Ay <u@example.org>", date: 86400)
      .writeMails(to: directory.path("patches"))
    try Command.check(
      ["sh", "-c", "git am -q \(directory.path("patches"))/*.patch"], in: project)
    try expectResult()
    let log = try Command.check(
      ["git", "log", "-1", "--format=%an <%ae> %at %s%n%b", "HEAD~"], in: project)
    #expect(log.hasPrefix("Ünal Ay <u@example.org> 86400 Straße\nWhy.\n"), "\(log)")
  }
}
