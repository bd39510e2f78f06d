import DeadCode
import FirstlightModel
import FleetAPI
import FleetModel
import ReportFormats

/// What a build's page shows, taken from the store.
struct BuildPageFacts: Sendable {
  let build: FleetBuild
  let coverage: BuildCoverage
  let table: FunctionTable?
  /// Functions called for the first time, by day.
  let discovery: [FleetDay: Int]
  let startups: [StartupsDocument.Row]
  /// Other builds of the program, with the share of this build's called names that each has.
  let others: [(build: FleetBuild, share: Double)]

  init(of build: FleetBuild, in store: any FleetStore, series: SeriesFilter) async throws {
    self.build = build
    let guards = build.guardCount
    coverage =
      try await store.coverage(of: build.key, in: series)
      ?? BuildCoverage(
        totals: SeriesTotals(), guards: Array(repeating: GuardSum(), count: guards), callers: [:])
    table = try await store.functionTable(of: build.key)
    var discovery: [FleetDay: Int] = [:]
    for guardSum in coverage.guards where guardSum.isCalled {
      discovery[FleetDay(of: guardSum.firstSeen), default: 0] += 1
    }
    self.discovery = discovery
    startups = try await store.startups(
      of: FleetSelection(builds: BuildFilter(program: build.program), series: series)
    ).startups
    others = try await Self.others(of: build, table: table, coverage: coverage, in: store)
  }

  /// How well an order made of this build would still fit the program's other builds.
  private static func others(
    of build: FleetBuild, table: FunctionTable?, coverage: BuildCoverage, in store: any FleetStore
  ) async throws -> [(build: FleetBuild, share: Double)] {
    guard let table, build.isExecutable else { return [] }
    var called: Set<String> = []
    for (function, guardIndex) in zip(table.build.functions, table.build.entryGuards)
    where coverage.guards[Int(guardIndex)].isCalled && !function.name.isEmpty {
      called.insert(function.name)
    }
    guard !called.isEmpty else { return [] }
    var others: [(build: FleetBuild, share: Double)] = []
    let same = try await store.builds(BuildFilter(program: build.program), page: Page(limit: 12))
    for other in same where other.key != build.key && other.hasFunctions {
      guard let table = try await store.functionTable(of: other.key) else { continue }
      let names = Set(table.build.functions.map(\.name))
      let hits = called.count { names.contains($0) }
      others.append((other, Double(hits) / Double(called.count)))
    }
    return others
  }

  var page: BuildPage { BuildPage(facts: self) }

  /// Modules with functions that were never called, the most bytes first.
  var neverCalled: [(module: String, functions: Int, bytes: UInt64)] {
    guard let table else { return [] }
    let profile = Profile(of: [(table, coverage)], traces: [])
    return DeadCodeList(DeadCodeReport(of: profile)).weights { [$0.module] }
      .map { ($0.name, $0.functions, $0.bytes) }
  }
}
