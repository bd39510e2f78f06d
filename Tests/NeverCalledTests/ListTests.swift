import FirstlightModel
import Testing

@testable import NeverCalled

/// Lists, baselines, owners and set algebra.
@Suite struct ListTests {
  private var profile: Profile {
    let functions = [
      Example.function("a", file: "/src/b.c", line: 1, size: 10),
      Example.function("b", file: "/src/a.c", line: 2, size: 30),
      Example.function("c", file: "/src/a.c", line: 1, size: 20),
    ]
    return Profile(builds: [Example.build(functions)], runs: [Example.run("r")])
  }
  private var report: DeadCodeReport { DeadCodeReport(of: profile) }

  private func list(_ change: (inout NeverCalledRequest) -> Void) -> DeadCodeList {
    DeadCodeList(report, for: Example.request(change))
  }

  @Test func rowsAreSortedAsAsked() {
    #expect(DeadCodeList(report).rows.map(\.name) == ["c", "b", "a"])
    #expect(list { $0.sorting = .bytes }.rows.map(\.name) == ["b", "c", "a"])
    #expect(list { $0.sorting = .file }.rows.map(\.name) == ["c", "b", "a"])
  }

  @Test func aBaselineHidesWhatItKnows() {
    let list = list { $0.baseline = Baseline(identities: ["a", "b", "long gone"]) }
    #expect(list.rows.map(\.name) == ["c"])
    #expect(list.knownCount == 2)
    #expect(list.outdated == ["long gone"])
    #expect(Baseline(of: report).identities == ["a", "b", "c"])
  }

  @Test func weightsAddUp() {
    let files = DeadCodeList(report).weights { [$0.file ?? ""] }
    #expect(files.map(\.name) == ["/src/a.c", "/src/b.c"])
    #expect(files.map(\.bytes) == [50, 10])
  }

  /// A damaged profile, or a file's symbol table, can hold any number.
  @Test func sizesThatNoFunctionHasAddUp() {
    let functions = ["a", "b", "a"].map { Example.function($0, size: .max) }
    let report = DeadCodeReport(
      of: Profile(builds: [Example.build(functions)], runs: [Example.run("r")]))
    #expect(DeadCodeList(report).bytes(.neverCalled) == 3 << 36)
    #expect(DeadCodeList(report).weights { [$0.module] }.map(\.bytes) == [3 << 36])
  }

  /// Patterns and what they own are those of GitHub's documentation of CODEOWNERS.
  @Test(arguments: [
    ("web/a.js", ["@js"]), ("build/logs/x", ["@doctocat"]),
    ("docs/getting-started.md", ["docs@example.com"]),
    ("docs/build-app/troubleshooting.md", ["@global"]), ("apps/x/y.go", ["@octocat"]),
    ("x/apps/y.go", ["@octocat"]), ("scripts/run", ["@doctocat", "@octocat"]),
    ("a/b/logs/c", ["@team"]), ("README", ["@global"]), ("free/x", []),
  ])
  func theLastPatternThatFitsCounts(path: String, owners: [String]) {
    let file = CodeOwners(
      """
      # a comment
      *       @global
      apps/   @octocat
      *.js    @js # inline
      **/logs @team
      /build/logs/ @doctocat
      docs/*  docs@example.com
      /scripts/ @doctocat @octocat
      /free/
      """)
    #expect(file.owners(of: path) == owners)
  }

  @Test func evidenceThatFallsShortIsNamed() {
    func problem(_ change: (inout NeverCalledRequest) -> Void) -> String? {
      do throws(Failure) {
        _ = try Example.request(change).list(from: profile)
        return nil
      } catch { return error.problem }
    }
    #expect(problem { ($0.minimumRuns, $0.minimumTime) = (1, 10) } == nil)
    #expect(
      problem { $0.minimumRuns = 2 }?.contains("1 run recorded; --min-runs requires 2") == true)
    #expect(
      problem { $0.minimumTime = 11 }?.contains("10.0 s recorded; --min-time requires 11.0") == true
    )
  }
}
