import FirstlightModel
import Testing

@testable import NeverCalled

/// The recordings of a program and of its tests, joined.
@Suite struct TestedReportTests {
  private static func report(
    _ functions: [Function], called: [String: Int] = [:], id: String, root: String = "/src"
  ) -> DeadCodeReport {
    let profile = Profile(
      builds: [Example.build(functions, called: called, id: id)], runs: [Example.run(id)])
    return DeadCodeReport(
      of: profile, for: Example.request { $0.ownCode = OwnCode(roots: [root]) })
  }

  private static let names = ["used", "tested", "never"]

  private static func functions(
    _ names: [String] = names, in file: String = "/src/a.c"
  ) -> [Function] {
    names.enumerated().map { Example.function($1, file: file, line: $0 + 1) }
  }

  private static let test = Example.function("test_it", file: "/src/tests/t.c")

  private static var tests: DeadCodeReport {
    report(
      functions(names + ["dropped"]) + [test], called: ["used": 1, "tested": 1, "dropped": 1],
      id: "bb")
  }

  private func joined(_ program: DeadCodeReport) throws -> TestedReport {
    try TestedReport(program, tests: Self.tests, for: NeverCalledRequest())
  }

  private func alone(_ report: DeadCodeReport) -> [String] {
    report.functions.filter(\.isCalledByTestsAlone).map(\.name)
  }

  @Test func functionsThatOnlyTestsCallAreMarked() throws {
    let found = try joined(Self.report(Self.functions(), called: ["used": 1], id: "aa")).report
    #expect(alone(found) == ["tested"])
    #expect(found.functions.first { $0.name == "never" }?.tests == .neverCalled)
    #expect(found.functions.first { $0.name == "used" }?.verdict == .called)
    #expect(!found.functions.contains { $0.name == "test_it" })
    #expect(found.sums.isBalanced)
  }

  @Test func functionsThatTheProgramLacksAreListedOnlyWithEvidence() throws {
    var found = try joined(Self.report(Self.functions(), called: ["used": 1], id: "aa"))
    #expect(found.report.functions.last?.name == "dropped")
    #expect(found.report.functions.last?.reason == .notInProgram)
    found.list(missing: { _ in false })
    #expect(alone(found.report) == ["tested"])
    found.list(missing: { _ in true })
    #expect(alone(found.report) == ["tested", "dropped"])
    #expect(found.report.functions.last?.reason == .onlyInTests)
    #expect(found.report.sums.isBalanced)
    #expect(found.report.coverage().map(\.neverCalled) == [2])
    // The index sees the functions in the tests' builds, and the tests.
    #expect(found.forReferences.functions.map(\.name).suffix(2) == ["dropped", "test_it"])
    #expect(found.forReferences.functions.first { $0.name == "tested" }?.pieces[0].build == 0)
  }

  @Test func strippedProgramsLackNothing() throws {
    let nameless = Function(
      address: nil, size: 9, name: "", demangledName: "", module: "", file: nil, line: 0,
      isCompilerGenerated: false, isLocal: false)
    let found = try joined(Self.report(Self.functions() + [nameless], id: "aa"))
    #expect(!found.report.functions.contains { $0.name == "dropped" })
  }

  @Test func programsMayHaveBeenBuiltElsewhere() throws {
    let program = Self.report(
      Self.functions(in: "/ci/job/a.c"), called: ["used": 1], id: "aa", root: "/src")
    let found = try joined(program).report
    #expect(alone(found) == ["tested"])
    #expect(found.functions.first { $0.name == "tested" }?.file == "/src/a.c")
    #expect(found.functions.first { $0.name == "tested" }?.origin == .own)
    // A function of this name in another file may be the same.
    let other = Self.report(Self.functions() + Self.functions(["dropped"], in: "/b.c"), id: "aa")
    #expect(try !joined(other).report.functions.contains { $0.reason == .notInProgram })
  }

  @Test func strangersAreRefused() {
    #expect(throws: Failure.self) {
      try joined(Self.report(Self.functions(["other"], in: "/src/o.c"), id: "aa"))
    }
  }
}
