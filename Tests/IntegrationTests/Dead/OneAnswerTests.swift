import Foundation
import TestSupport
import Testing

/// `dead`, its gate and formats, `why` and `prune` agree about what may be deleted.
@Suite(.tags(.compiler)) struct OneAnswerTests {
  private static let source = """
    struct Box {
      lazy var held = helper()
    }
    func helper() -> Int { 1 }
    #if true
    func inBranch() -> Int { 2 }
    #endif
    func unused() -> Int { 3 }
    if CommandLine.arguments.count > 1 { fatalError() }
    print("done")

    """

  @Test func whatPruneRefusesIsNotListed() throws {
    let program = try Fixture.swift(
      Self.source, options: ["-Onone", "-index-store-path", "index-store"])
    let profile = try program.record()
    func firstlight(_ words: String...) throws -> CommandResult {
      try Command.run([Toolchain.firstlight] + words, in: program.directory.url)
    }
    let prune = try firstlight("prune", profile)
    #expect(prune.status == 0, "\(prune.errors)")
    let removed = prune.output.split(separator: "\n").filter {
      $0.hasPrefix("-") && !$0.hasPrefix("---")
    }
    #expect(removed == ["-func unused() -> Int { 3 }"], "\(prune.output)")
    #expect(prune.errors.contains("keeps Box.held: a stored property"), "\(prune.errors)")
    #expect(prune.errors.contains("keeps helper(): Box.held stays and refers to it"))
    #expect(prune.errors.contains("keeps inBranch(): in an #if branch"))
    #expect(prune.errors.contains("removes 1 function (1 line in 1 file), keeps 3"))

    let dead = try firstlight("dead", profile, "--deletable", "--format", "github-actions")
    #expect(dead.status == 0, "\(dead.errors)")
    #expect(dead.output.split(separator: "\n").count == 1 && dead.output.contains("::unused() "))
    #expect(try firstlight("dead", profile, "--max-deletable", "1").status == 0)
    #expect(try firstlight("dead", profile, "--max-deletable", "0").status == 1)
    #expect(try firstlight("why", "inBranch()", profile).output.contains("kept: in an #if branch"))
    let sarif = try firstlight("dead", profile, "--index", "auto", "--format", "sarif").output
    #expect(
      sarif.contains("kept: a stored property") && sarif.contains("only never-called Box.held"))
    let text = try firstlight("dead", profile, "--index", "auto").output
    #expect(text.contains("Can be deleted: 1 function,"), "\(text)")
    #expect(text.contains("Unreferenced, but kept for another reason: 2 functions,"), "\(text)")
  }

  /// Blank lines, comments and what is left of an extension among them.
  @Test func linesOfARemovalAreCountedOnce() throws {
    let program = try Fixture.swift(
      """
      func first() -> Int {
        1
      }

      /// Of the second.
      func second() -> Int { 2 }

      extension Int {

        func third() -> Int { 3 }
      }

      print("done")

      """, options: ["-Onone", "-index-store-path", "index-store"])
    let profile = try program.record()
    func firstlight(_ words: String...) throws -> CommandResult {
      try Command.run([Toolchain.firstlight] + words, in: program.directory.url)
    }
    let prune = try firstlight("prune", profile)
    #expect(prune.errors.contains("removes 3 functions (12 lines in 1 file)"), "\(prune.errors)")
    let dead = try firstlight("dead", profile, "--index", "auto").output
    let title = dead.split(separator: "\n").first { $0.hasPrefix("Can be deleted: 3 functions") }
    #expect(title?.hasSuffix(", 12 lines") == true, "\(dead)")
  }

  @Test func aProfileOfACrashIsWarnedOf() throws {
    let program = try Fixture.swift(
      Self.source, options: ["-Onone", "-index-store-path", "index-store"])
    func firstlight(_ words: String...) throws -> CommandResult {
      try Command.run([Toolchain.firstlight] + words, in: program.directory.url)
    }
    _ = try firstlight("record", "-o", "crash.flp", "--", program.executable, "crash")
    let list = try firstlight("dead", "crash.flp").output
    let sentence = try #require(
      list.split(separator: "\n").first { $0.contains("what it did not reach looks never called") })
    let prune = try firstlight("prune", "crash.flp")
    #expect(prune.errors.contains("warning: \(sentence)"), "\(prune.errors) \(sentence)")
  }

  /// What it refers to stays, too.
  @Test func theBaselineKeepsItsFunctions() throws {
    let program = try Fixture.swift(
      "func known() -> Int { helper() }\nfunc helper() -> Int { 1 }\nprint(2)\n",
      options: ["-Onone", "-index-store-path", "index-store"])
    let profile = try program.record()
    func firstlight(_ words: String...) throws -> CommandResult {
      try Command.run(
        [Toolchain.firstlight] + words + [profile, "--baseline", "known.json"],
        in: program.directory.url)
    }
    try Command.check(
      [Toolchain.firstlight, "dead", profile, "--write-baseline", "all.json"],
      in: program.directory.url)
    let all = try String(contentsOfFile: program.directory.path("all.json"), encoding: .utf8)
    // One function a line; commas separate them.
    let known = all.replacing(/,?\n[^\n]*helper[^\n]*/, with: "")
    #expect(known != all)
    try program.directory.write(known, to: "known.json")
    let dead = try firstlight("dead", "--deletable", "--format", "github-actions")
    #expect(dead.status == 0 && dead.output.isEmpty, "\(dead.output) \(dead.errors)")
    let prune = try firstlight("prune")
    #expect(prune.status == 0 && prune.output.isEmpty, "\(prune.output) \(prune.errors)")
  }
}
