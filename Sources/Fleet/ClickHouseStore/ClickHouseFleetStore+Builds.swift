import FirstlightModel
import FleetModel

/// Lists builds and their true numbers of guards.
extension ClickHouseFleetStore {
  package func builds(_ wanted: BuildFilter, page: Page) async throws -> [FleetBuild] {
    var known = try await known()
    if let id = wanted.buildID {
      let isWhole = known.keys.contains { $0.buildID.description == id }
      known = known.filter { key, _ in
        isWhole ? key.buildID.description == id : key.buildID.description.hasPrefix(id)
      }
    }
    if let recorder = wanted.recorder { known = known.filter { $0.key.recorder == recorder } }
    if let program = wanted.program { known = known.filter { $0.value.program == program } }
    if let version = wanted.version {
      let isOfVersion = Self.live([], where: "version = \(SQLText.quoted(version))")
      let claims = Set(
        try await liveRows("SELECT DISTINCT build_id, recorder, guards FROM \(isOfVersion)") {
          row throws(Failure) in try row.claim()
        })
      known = known.filter { claims.contains($0.value.claim) }
    }
    let sorted = known.values.sorted { $0.position < $1.position }
      .filter { build in page.after.map { KnownBuild.position($0) < build.position } ?? true }
    return try await builds(Array(sorted.prefix(max(0, page.limit))))
  }

  private func builds(_ page: [KnownBuild]) async throws(Failure) -> [FleetBuild] {
    if page.isEmpty { return [] }
    let claims = page.map(\.claim)
    let isOf = SQLText.isOf(claims.map(\.build))
    let series = Dictionary(grouping: try await series(SQLText.isOf(claims))) { Claim($0.key) }
    let tables = try await storedTables(SQLText.isOf(claims))
    let failures = try await lastReadFailures(isOf)
    let dropped = try await dropped(isOf)
    return page.map { build in
      let key = build.claim.build
      let series = series[build.claim] ?? []
      let table = Self.best(tables, of: build.claim)
      let days = series.map(\.key.day)
      return FleetBuild(
        key: key, program: build.program,
        path: (series.map(\.path) + [table?.path].compactMap { $0 }).min() ?? build.program,
        isExecutable: series.contains(where: \.isExecutable) || table?.isExecutable == true,
        guardCount: build.claim.guards, hasFunctions: table != nil, wantsFunctions: table == nil,
        versions: Set(series.map(\.key.labels.version)).filter { !$0.isEmpty }.sorted(),
        days: days.min().flatMap { first in days.max().map { first...$0 } },
        totals: series.reduce(SeriesTotals()) { $0 + $1.totals },
        readFailure: table == nil ? failures[key] : nil, dropped: dropped[key])
    }
  }

  /// A build with its true claim.
  struct KnownBuild: Sendable {
    var claim: Claim
    /// The name of the build's file.
    var program: String

    fileprivate var position: (String, BuildKey) { (program, claim.build) }

    fileprivate static func position(_ place: PagePosition) -> (String, BuildKey) {
      (place.program, place.build)
    }
  }

  func truth(of build: BuildKey) async throws(Failure) -> Claim? {
    try await known(build)[build]?.claim
  }

  /// One build, or all builds with rows, a function table or sampled traces.
  func known(_ build: BuildKey? = nil) async throws(Failure) -> [BuildKey: KnownBuild] {
    let condition = build.map { SQLText.isOf($0) } ?? "1"
    var said: [Claim: Said] = [:]
    let counted = try await liveRows(
      """
      SELECT build_id, recorder, guards, min(program), sum(runs)
      FROM \(Self.live(["program", "runs"], where: condition)) GROUP BY build_id, recorder, guards
      """
    ) { row throws(Failure) in (try row.claim(), try row.text(), try row.number(UInt64.self)) }
    for (claim, program, runs) in counted {
      said[claim, default: Said()].name(program)
      said[claim]?.add(runs)
    }
    for table in try await storedTables(condition) {
      said[table.claim, default: Said()].name(BaseName.of(table.path))
      said[table.claim]?.isNamed = true
      if table.isTrusted { said[table.claim]?.vouch(at: table.at) }
    }
    if said.isEmpty || build == nil {
      for (claim, program) in try await sampledBuilds()
      where build.map({ $0 == claim.build }) ?? true {
        said[claim, default: Said()].name(program)
      }
    }
    return Dictionary(grouping: said, by: \.key.build).compactMapValues { claims in
      let best = claims.max { a, b in
        b.value.isTruer(than: a.value) || (!a.value.isTruer(than: b.value) && b.key < a.key)
      }
      return best.map { KnownBuild(claim: $0.key, program: $0.value.program) }
    }
  }
}

/// The evidence for a claim.
private struct Said {
  /// Time when a trusted binary with this claim was last registered, plus 1; 0 if none was.
  private var vouched: UInt64 = 0
  private var runs = 0
  /// Whether there is a function table.
  var isNamed = false
  /// The file name; if there are several, the first.
  private(set) var program = ""

  mutating func name(_ name: String) { program = program.isEmpty ? name : min(program, name) }
  mutating func add(_ runs: Int) { self.runs = self.runs.addingClamped(runs) }
  mutating func vouch(at time: UInt64) { vouched = max(vouched, time + 1) }

  /// The truth is the claim of the last trusted binary, else that of most runs.
  func isTruer(than other: Said) -> Bool {
    (vouched, runs, isNamed ? 1 : 0) > (other.vouched, other.runs, other.isNamed ? 1 : 0)
  }
}
