import FirstlightModel
import NeverCalled
import SystemSupport
import Testing

/// Never-called lists for CI servers and for summaries.
@Suite struct DeadFormatTests {
  private static func function(
    _ name: String, mangled: String? = nil, file: String?, line: Int
  ) -> Function {
    Function(
      address: 0x1000 + UInt64(line) * 0x100, size: 1500, name: mangled ?? name,
      demangledName: name, module: "", file: file, line: line, isCompilerGenerated: false,
      isLocal: false)
  }

  private static func list(
    _ functions: [Function], runs: Int = 3, endings: [RunEnding] = [.exited(0)]
  ) -> DeadCodeList {
    let build = Build(
      buildID: BuildID("aa")!, path: "/bin/an_example", kind: .executable, architecture: "x86_64",
      hasSymbols: true, hasDebugInfo: true, functions: functions,
      entryGuards: functions.indices.map { UInt32($0) }, guardCount: functions.count)
    let recorded = endings.enumerated().map { index, ending in
      Run(
        id: "\(index)", command: ["an_example"],
        host: Host(name: "h", kernel: "k", architecture: "x86_64", processor: "p", cores: 1),
        startedAt: 100, endedAt: 110, ending: ending, problems: [])
    }
    let profile = Profile(builds: [RecordedBuild(build: build, runs: runs)], runs: recorded)
    return DeadCodeList(DeadCodeReport(of: profile))
  }

  private func text(_ format: DeadFormat, _ functions: Function...) throws -> String {
    let paths = SourcePaths(root: "/src")
    return try format.text(Self.list(functions), paths: paths, links: paths)
  }

  @Test func annotationsNamePlaceAndRuns() throws {
    let text = try text(
      .githubActions, Self.function("parse(_:)", file: "/src/Sources/a.swift", line: 12),
      Self.function("elsewhere", file: "/usr/src/b.c", line: 7))
    #expect(
      text.split(separator: "\n").sorted() == [
        "::warning file=../usr/src/b.c,line=7,title=Never called::"
          + "elsewhere was never called in 3 recorded runs",
        "::warning file=Sources/a.swift,line=12,title=Never called::"
          + "parse(_:) was never called in 3 recorded runs",
      ])
  }

  /// Without debug information nothing says whether it was inlined.
  @Test func aFunctionWithoutSourceIsNoWarning() throws {
    #expect(try text(.githubActions, Self.function("f", file: nil, line: 0)) == "")
  }

  /// Composed and decomposed, one name is two functions.
  @Test func namesAreComparedByBytes() throws {
    let list = Self.list(
      ["caf\u{e9}", "cafe\u{301}"].enumerated().map {
        Self.function($1, file: "/src/a.c", line: $0 + 1)
      })
    #expect(list.dead.count == 2)
  }

  @Test func marksDoNotHideSeparators() throws {
    let name = "a\"\u{301},x`\u{301}|\u{600}<"
    let function = Self.function(name, file: "/src/a,\u{301}:\u{301}.c", line: 1)
    let command = try text(.githubActions, function)
    #expect(Array(command.utf8).contains(Array("file=a%2C\u{301}%3A\u{301}.c,line=1".utf8)))
    let page = try text(.html, function)
    #expect(!Array(page.utf8).contains(Array("\u{600}<".utf8)))
  }

  @Test func anAnnotationStaysOnItsLine() throws {
    let text = try text(
      .githubActions, Self.function("f\n::error file=b::", file: "/src/a", line: 1))
    #expect(text.split(separator: "\n").count == 1)
  }

  @Test func theSummaryHasTitleEvidenceAndTable() throws {
    let text = try text(
      .markdown, Self.function("parse(_:)", file: "/src/Sources/a.swift", line: 12))
    #expect(text.hasPrefix("### 1 function never called, 1.5 KiB\n\n"), "\(text)")
    #expect(text.contains("\n\nRecorded 1 run "))
    #expect(
      text.contains(
        """

        | Function | Source | Module | Size | Runs |
        | :-- | :-- | :-- | --: | --: |
        | `parse(_:)` | `Sources/a.swift:12` | an\\_example | 1.5 KiB | 0/3 |

        """), "\(text)")
    // Points of instrumentation would add up to another number of never-called functions.
    #expect(!text.contains(" = "))
  }

  @Test(arguments: [DeadFormat.text, .markdown])
  func onlyOverloadsShowTheirParameters(format: DeadFormat) throws {
    let text = try text(
      format,
      Self.function("shape::draw(int)", mangled: "_ZN5shape4drawEi", file: "/src/a.cc", line: 1),
      Self.function("shape::draw(double)", mangled: "_ZN5shape4drawEd", file: "/src/a.cc", line: 2),
      Self.function("shape::move(int)", mangled: "_ZN5shape4moveEi", file: "/src/a.cc", line: 3))
    #expect(text.contains("shape::draw(int)") && text.contains("shape::draw(double)"), "\(text)")
    #expect(text.contains("shape::move") && !text.contains("shape::move("), "\(text)")
  }

  /// Members of an extension with a condition: `extension Graph where A == Int`.
  @Test func aPageNamesFunctionsAsTheTextDoes() throws {
    let text = try text(
      .html,
      Self.function(
        "(extension in M):M.Graph< where A == Swift.Int>.f() -> ()",
        mangled: "$s1M5GraphVAASiRszlE1fyyF",
        file: "/src/a.swift", line: 1),
      Self.function("shape::draw(int)", mangled: "_ZN5shape4drawEi", file: "/src/a.cc", line: 1),
      Self.function("shape::draw(double)", mangled: "_ZN5shape4drawEd", file: "/src/a.cc", line: 2))
    #expect(text.contains("[\"Graph.f()\",") && !text.contains("where A"))
    #expect(text.contains("[\"shape::draw(int)\",") && text.contains("[\"shape::draw(double)\","))
  }

  @Test func functionsThatOnlyTheTestsHaveAreNotDropped() throws {
    let used = Self.function("used()", file: "/src/a.swift", line: 1)
    let tested = Self.function("tested()", file: "/src/a.swift", line: 2)
    let joined = try TestedReport(
      Self.list([used]).report, tests: Self.list([used, tested]).report, for: NeverCalledRequest())
    var list = DeadCodeList(joined.report)
    list.tests = joined.report.observation
    for format in [DeadFormat.text, .html] {
      let text = try format.text(list, paths: SourcePaths(root: nil), links: SourcePaths(root: nil))
      #expect(text.contains("not in the program, only in its tests"), "\(format): \(text)")
      #expect(!text.contains("dropped: "))
    }
  }

  @Test(
    arguments: [
      (
        [.signalled(2), .exited(0)],
        "1 run was interrupted by signal 2 (Interrupt): what it did not reach looks never called."
      ),
      (
        [.exited(1)], "1 run ended with exit status 1: what it did not reach looks never called."
      ),
      (
        [.signalled(6), .signalled(6)],
        "2 runs were killed by signal 6 (Aborted): what they did not reach looks never called."
      ),
      (
        [.exited(1), .exited(1), .signalled(6)],
        "3 runs did not end well (2 ended with exit status 1, 1 killed by signal 6 (Aborted)): "
          + "what they did not reach looks never called."
      ),
    ] as [([RunEnding], String)])
  func runsThatDidNotEndWellAreSaid(endings: [RunEnding], line: String) throws {
    let list = Self.list([], endings: endings)
    let paths = SourcePaths(root: nil)
    for format in [DeadFormat.text, .markdown, .html] {
      let text = try format.text(list, paths: paths, links: paths)
      #expect(text.contains(line), "\(format): \(text)")
    }
    let json = try DeadFormat.json.text(list, paths: paths, links: paths)
    #expect(json.contains(/"badEndings" ?: ?\[\s*\{/), "\(json)")
    let good = try DeadFormat.text.text(Self.list([]), paths: paths, links: paths)
    #expect(!good.contains("did not reach"))
  }

  /// A zero would claim that all of them ran.
  @Test(arguments: [DeadFormat.text, .markdown, .html])
  func aListOfUnknownFunctionsDoesNotSayThatNoneIsDead(format: DeadFormat) throws {
    let text = try text(format, Self.function("f", file: nil, line: 0))
    #expect(
      !text.contains("0  never called") && !text.contains("0 functions never called"), "\(text)")
    if format != .text {
      #expect(text.contains("No function is known to be never called; 1 function unknown"))
    }
  }

  @Test func aSummaryOfNothingHasNoTable() throws {
    let list = Self.list([])
    let paths = SourcePaths(root: nil)
    let text = try DeadFormat.markdown.text(list, paths: paths, links: paths)
    #expect(text.hasPrefix("### 0 functions never called, 0 B\n"))
    #expect(!text.contains("|"))
  }

  @Test(arguments: [
    ("a|b", "`a\\|b`"), ("operator `+`", "`` operator `+` ``"), ("<b>&*_", "`<b>&*_`"),
    ("a\nb", "`a\\nb`"),
  ])
  func namesAreNoMarkup(name: String, cell: String) throws {
    let text = try text(.markdown, Self.function(name, file: "/src/a.c", line: 1))
    #expect(text.contains("\n| \(cell) | `a.c:1` |"), "\(text)")
  }
}
