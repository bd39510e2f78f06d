import FirstlightModel
import FleetModel
import NeverCalled

/// The facts for a build's page, from the store.
struct BuildPageFacts: Sendable {
  let build: FleetBuild
  let coverage: BuildCoverage
  /// The never-called list of the build, as `firstlight dead` makes it; nil as long as its functions have no
  /// names.
  let list: DeadCodeList?
  let functionCount: Int
  /// Whether source files would show more about its functions.
  let hasSwift: Bool
  let called: [Function]
  let startups: [StartupsDocument.Row]
  /// Other builds of the program, with the share of this build's called names that each has.
  let others: [(build: FleetBuild, share: Double)]

  /// The days on which the build has as many sets of labels as it may.
  let crowdedDays: [FleetDay]

  /// A function that the page counts: hand-written, and with a known answer whether it was called. As long as
  /// no function has a name, all instrumented functions count.
  struct Function: Sendable {
    /// Seconds since 1970.
    var firstSeen: Double
    var runs: Int
  }

  /// - Parameter query: selects the runs.
  init(of build: FleetBuild, in store: any FleetStore, _ query: FleetQuery) async throws {
    self.build = build
    let guards = build.guardCount
    coverage =
      try await store.coverage(of: build.key, in: query)
      ?? BuildCoverage(
        totals: SeriesTotals(), guards: GuardSums(guardCount: guards), callers: [:])
    let table = try await store.functionTable(of: build.key)
    let coverage = coverage
    let (counters, _) = try await store.counters(of: build.key, besides: coverage, in: query)
    let list = table.flatMap { table -> DeadCodeList? in
      // A build that names only a few of its many guards would use much memory for little information.
      guard table.unprovenGuards <= AnswerLimits.unprovenGuards else { return nil }
      var profile = Profile(of: [(table, coverage)], traces: [])
      profile.builds[0].counters = counters
      return try? NeverCalledRequest().list(from: profile)
    }
    self.list = list
    hasSwift = table.map { FleetAnswers.hasSwift([$0.build]) } ?? false
    if let list {
      let known = list.report.select { $0.verdict == .called || $0.verdict == .neverCalled }
      functionCount = known.count
      called = known.filter { $0.verdict == .called }.map {
        Function(firstSeen: $0.firstSeen, runs: $0.calledRuns)
      }
    } else {
      functionCount = coverage.guards.guardCount
      called = coverage.guards.called.map { Function(firstSeen: $1.firstSeen, runs: $1.runs) }
    }
    let same = try await store.builds(
      FleetQuery(program: build.program), page: Page(limit: 1000))
    startups = try await store.startups(of: same, in: query).startups
    crowdedDays = try await store.crowdedDays(of: build.key)
    others = try await Self.others(
      same.prefix(12).filter { $0.key != build.key && $0.hasFunctions },
      of: build, table: table, coverage: coverage, in: store)
  }

  /// Estimates how well an order from this build would fit the program's other builds.
  private static func others(
    _ same: [FleetBuild], of build: FleetBuild, table: FunctionTable?, coverage: BuildCoverage,
    in store: any FleetStore
  ) async throws -> [(build: FleetBuild, share: Double)] {
    guard let table, build.isExecutable else { return [] }
    var called: Set<TextBytes> = []
    for (function, guardIndex) in zip(table.build.guarded, table.build.entryGuards)
    where coverage.guards[Int(guardIndex)].isCalled && !function.name.isEmpty {
      called.insert(function.name)
    }
    guard !called.isEmpty else { return [] }
    var others: [(build: FleetBuild, share: Double)] = []
    for other in same {
      guard let table = try await store.functionTable(of: other.key) else { continue }
      let names = Set(texts: table.build.guarded.map(\.name))
      let hits = called.count { names.contains($0) }
      others.append((other, Double(hits) / Double(called.count)))
    }
    return others
  }

  /// The number of functions with their first call on each day.
  var discovery: [FleetDay: Int] {
    var discovery: [FleetDay: Int] = [:]
    for function in called {
      discovery[FleetDay(of: function.firstSeen), default: 0] += 1
    }
    return discovery
  }

  var page: BuildPage { BuildPage(facts: self) }

  /// Modules with never-called functions, most bytes first. Functions without a name, of which the list has no rows,
  /// count too.
  var neverCalled: [(module: String, functions: Int, bytes: UInt64)] {
    guard let list else { return [] }
    let named = list.weights { [$0.module] }.map { ($0.name, $0.functions, $0.bytes) }
    let nameless = list.report.select { DeadCodeList.isDead($0) && $0.isNameless }
    if nameless.isEmpty { return named }
    return named + [
      ("functions without a name", nameless.count, nameless.reduce(0) { $0 + $1.bytes })
    ]
  }
}
