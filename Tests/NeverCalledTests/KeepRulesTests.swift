import FirstlightModel
import Testing

@testable import NeverCalled

@Suite struct KeepRulesTests {
  @Test func commentsKeepTheDeclarationTheyStandAt() {
    let text = """
      func a() {}  // firstlight:keep - called by name
      func b() {}
      // firstlight:keep: an entry point
      @_cdecl("c")
      public
      func c() {}
      func d() {}
      /// A doc comment.
      // firstlight:keep - second
      /// More of it.
      @inline(never) func e() {}
      /* firstlight:keep - C */
      int f(void);
      let mark = "firstlight:keep"
      // firstlight:keep
      func g() {}
      let text = "// firstlight:keep"
      """
    let keeps = KeepComments(SourceText(Array(text.utf8), .swift))
    let kept = Dictionary(
      uniqueKeysWithValues: (1...17).compactMap { line in
        keeps.reason(line: line).map { (line, $0) }
      })
    #expect(kept[1] == "called by name")
    #expect(kept[2] == nil)
    #expect(kept[4] == "an entry point" && kept[5] == "an entry point")
    #expect(kept[6] == "an entry point")
    #expect(kept[7] == nil)
    #expect(kept[11] == "second")
    #expect(kept[13] == "C")
    #expect(kept[14] == nil)
    #expect(kept[16] == "no reason given" && kept[17] == nil)
  }

  @Test func commentsKeepInSourcesWithCRLF() {
    let lines = [
      "// firstlight:keep - used by plug-ins", "int kept(int x);", "int dead(int x);", "",
    ]
    let keeps = KeepComments(SourceText(Array(lines.joined(separator: "\r\n").utf8), .c))
    #expect(keeps.reason(line: 2) == "used by plug-ins" && keeps.reason(line: 3) == nil)
  }

  @Test(arguments: [
    ("keep: 3", "'keep' must be a list"), ("keeps: []", "unknown key 'keeps'"),
    ("keep:\n  - symbol: x", "needs a reason"), ("keep:\n  - reason: x", "needs symbol"),
    ("keep:\n  - {symbol: x, reason: y, line: 3}", "unknown key 'line'"), ("a: [", "not YAML"),
    ("- 1", "the top level must be a mapping"), ("own: 3", "'own' must be a list"),
    ("dependencies: [[a]]", "dependencies, entry 1: must be a pattern"),
  ])
  func mistakesAreNamed(text: String, problem: String) {
    #expect {
      try KeepRules(text, path: "x.yml")
    } throws: { error in
      guard let failure = error as? Failure else { return false }
      return failure.kind == .data && failure.problem.hasPrefix("x.yml: ")
        && failure.problem.contains(problem)
    }
  }

  @Test func ownCodeAndDependenciesAreListsOfPatterns() throws {
    let rules = try KeepRules(
      "own: ['Sources/*', Tools/*]\ndependencies:\n  - Sources/Copied/*\ntests: [checks]",
      path: "x.yml")
    #expect(rules.own == ["Sources/*", "Tools/*"])
    #expect(rules.dependencies == ["Sources/Copied/*"])
    #expect(rules.tests == ["checks"])
  }

  @Test(arguments: ["", "keep: []", "# nothing"])
  func filesWithoutRulesAreAccepted(text: String) throws {
    _ = try KeepRules(text, path: "x.yml")
  }
}
