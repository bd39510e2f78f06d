import FirstlightModel
import Testing

@testable import NeverCalled

/// Functions of one name in one file: their lines tell them apart, if they can be compared.
@Suite struct NamesakeTests {
  private static let overload = ("_Z4castIiEiT_", "int cast<int>(int)")

  private func build(
    _ program: String, line: Int, called: Bool = false, name: (String, String) = ("usage", "usage"),
    digest: UInt64? = nil
  ) -> RecordedBuild {
    let function = Example.function(
      name.0, demangled: name.1, file: "./main.c", line: line, isLocal: true)
    var build = Example.build([function], called: called ? [name.0: 1] : [:], id: program)
    build.build.path = "/bin/\(program)"
    if let digest { build.sources["./main.c"] = digest }
    return build
  }

  private func verdicts(_ builds: [RecordedBuild], runs: Int = 1) -> [String] {
    let runs = (0..<runs).map { Example.run("\($0)") }
    let report = DeadCodeReport(of: Profile(builds: builds, runs: runs))
    #expect(report.sums.isBalanced)
    #expect(Set(report.functions.map(\.identity)).count == report.functions.count)
    return report.functions.map { "\($0.line) \($0.verdict.rawValue)" }
  }

  /// With -ffile-prefix-map, say, and of overloads of a template each program may have one.
  @Test(arguments: [("usage", "usage"), ("_Z5usagei", "usage(int)"), overload])
  func functionsOfTwoProgramsInOneRunStayApart(name: (String, String)) {
    let builds = [
      build("aa", line: 2, called: true, name: name), build("bb", line: 3, name: name),
    ]
    #expect(verdicts(builds) == ["2 called", "3 never called"])
    #expect(verdicts([builds[1], builds[0]]) == ["2 called", "3 never called"])
    // Code may have moved between two runs.
    #expect(verdicts(builds, runs: 2) == ["3 called"])
  }

  @Test func digestsDecideWhetherLinesCanBeCompared() {
    func verdicts(_ first: UInt64?, _ second: UInt64?, runs: Int) -> [String] {
      self.verdicts(
        [
          build("aa", line: 2, called: true, digest: first), build("bb", line: 3, digest: second),
        ], runs: runs)
    }
    #expect(verdicts(7, 7, runs: 2) == ["2 called", "3 never called"])
    #expect(verdicts(7, 8, runs: 1) == ["3 called"])
    // The file is newer than the other build.
    #expect(verdicts(7, nil, runs: 1) == ["3 called"])
  }

  /// The objects of one program may come from one file with other macros.
  @Test func functionsOfOneProgramStayApart() {
    let lines = [3, 5, 3]
    let functions = lines.map { Example.function("width", line: $0, isLocal: true) }
    var build = Example.build(functions)
    build.coverage[2] = GuardCoverage(runs: 1, firstSeen: 1, lastSeen: 1)
    #expect(verdicts([build]) == ["3 called", "5 never called"])
  }

  @Test func partsBelongToTheirNamesake() {
    let functions = [("f", 3), ("f.cold", 3), ("f.constprop.0", 8), ("f.cold", 8)].map {
      Example.function($0, line: $1, isLocal: true)
    }
    var build = Example.build(functions)
    build.coverage[3] = GuardCoverage(runs: 1, firstSeen: 1, lastSeen: 1)
    #expect(verdicts([build]) == ["3 never called", "8 called"])
  }

  /// A counter's line is that of the body.
  @Test func countersBelongToTheFunctionAboveThem() {
    var builds = [build("aa", line: 2), build("bb", line: 5)]
    for (place, line) in [3, 6].enumerated() {
      builds[place].counters = SourceCounters(
        runs: 1,
        [
          Function(
            code: .counted(GuardCoverage(runs: place == 0 ? 1 : 0, firstSeen: 1, lastSeen: 1)),
            name: "usage", demangledName: "usage", module: "", file: "./main.c", line: line,
            isLocal: true)
        ])
    }
    #expect(verdicts(builds) == ["2 called", "5 never called"])
  }

  @Test func countersWithoutDebugInformationHaveLines() {
    var build = Example.build([])
    build.counters = SourceCounters(
      runs: 1,
      [3, 5].map {
        Function(
          code: .counted(GuardCoverage(runs: $0 == 3 ? 1 : 0, firstSeen: 1, lastSeen: 1)),
          name: "width", demangledName: "width", module: "", file: "/src/a.c", line: $0)
      })
    #expect(verdicts([build]) == ["3 called", "5 never called"])
  }

  /// The names are those of rustc 1.95; `impl W<u8>` and `impl W<u16>` each have a method.
  @Test func instancesOfRustAreOneFunction() {
    let functions = [
      ("_RNvYNtC1g2ReNtB2_5Shape5twice", "<g::Re as g::Shape>::twice", 2),
      ("_RNvYNtC1g2SqNtB2_5Shape5twice", "<g::Sq as g::Shape>::twice", 2),
      ("_RNvXC1gINtB2_1WtENtB2_5Shape4area", "<g::W<u16> as g::Shape>::area", 3),
      ("_RNvXC1gINtB2_1WhENtB2_5Shape4area", "<g::W<u8> as g::Shape>::area", 3),
      ("_RNvXC1gtNtB2_5Blank5blank", "<u16 as g::Blank>::blank", 4),
      ("_RNvXC1ghNtB2_5Blank5blank", "<u8 as g::Blank>::blank", 4),
      ("_RNvMC1gINtB2_1WhE3own", "<g::W<u8>>::own", 5),
      ("_RNvMs_C1gINtB2_1WtE3own", "<g::W<u16>>::own", 6),
    ].map { Example.function($0, demangled: $1, file: "/g.rs", line: $2) }
    let called = [1, 3, 5, 6].map { (functions[$0].name, 1) }
    let build = Example.build(functions, called: Dictionary(uniqueKeysWithValues: called))
    #expect(
      verdicts([build]) == ["2 called", "3 called", "4 called", "5 called", "6 never called"])
  }
}
