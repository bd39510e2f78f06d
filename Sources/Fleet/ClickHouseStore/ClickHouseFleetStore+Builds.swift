import FirstlightModel
import FleetModel

/// Lists builds and their true numbers of guards.
extension ClickHouseFleetStore {
  package func builds(_ wanted: FleetQuery, page: Page) async throws -> [FleetBuild] {
    var known = try await known()
    if let id = wanted.buildID {
      let isWhole = known.keys.contains { $0.buildID.description == id }
      known = known.filter { key, _ in
        isWhole ? key.buildID.description == id : key.buildID.description.begins(with: id)
      }
    }
    if let recorder = wanted.recorder { known = known.filter { $0.key.recorder == recorder } }
    if let program = wanted.program { known = known.filter { $0.value.names.uses[program] != nil } }
    if let version = wanted.version {
      let claims = Set(
        try await liveRows(
          SQLText.claim, where: "version = \(SQLText.quoted(version))", by: SQLText.claim
        ) { row throws(Failure) in try row.claim() })
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
    let contradictions = try await contradictions(isOf)
    let dropped = try await dropped(isOf)
    return page.map { build in
      let key = build.claim.build
      let series = series[build.claim] ?? []
      let table = Self.best(tables, of: build.claim)
      let days = series.map(\.key.day)
      return FleetBuild(
        key: key, names: build.names.limited,
        isExecutable: series.contains(where: \.isExecutable) || table?.isExecutable == true,
        guardCount: build.claim.guards, hasFunctions: table != nil,
        versions: Set(texts: series.map(\.key.labels.version)).sorted().map(\.text)
          .filter { !$0.isEmpty },
        days: days.min().flatMap { first in days.max().map { first...$0 } },
        totals: series.reduce(SeriesTotals()) { $0 + $1.totals },
        readFailure: table == nil ? failures[key] : nil, contradiction: contradictions[key],
        dropped: dropped[key])
    }
  }

  /// A build with its true claim.
  struct KnownBuild: Sendable {
    var claim: Claim
    /// The names of the build's file.
    var names: ImageNames

    var program: String { names.first }

    fileprivate var position: (TextBytes, BuildKey) { (TextBytes(program), claim.build) }

    fileprivate static func position(_ place: PagePosition) -> (TextBytes, BuildKey) {
      (TextBytes(place.program), place.build)
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
      "\(SQLText.claim), program, min(path), sum(counted)",
      of: """
        arrayPushBack(name.program, '') AS program, arrayPushBack(name.path, '') AS path,
        arrayPushBack(name.runs, runs) AS counted
        """, where: condition, by: "\(SQLText.claim), program"
    ) { row throws(Failure) in
      (try row.claim(), try row.text(), try row.text(), try row.number(UInt64.self))
    }
    for (claim, program, path, runs) in counted {
      // Without a name: all runs of the claim.
      if program.isEmpty {
        said[claim, default: Said()].add(runs)
      } else {
        said[claim, default: Said()].names.add(path, runs: runs)
      }
    }
    for table in try await storedTables(condition) {
      said[table.claim, default: Said()].names.add(table.path, runs: 0)
      said[table.claim]?.add(table)
    }
    if said.isEmpty || build == nil {
      for (claim, program) in try await sampledBuilds()
      where build.map({ $0 == claim.build }) ?? true {
        said[claim, default: Said()].names.add(program, runs: 0)
      }
    }
    return Dictionary(grouping: said, by: \.key.build).compactMapValues { claims in
      let best = claims.max { a, b in
        b.value.isTruer(than: a.value) || (!a.value.isTruer(than: b.value) && b.key < a.key)
      }
      return best.map { KnownBuild(claim: $0.key, names: $0.value.names) }
    }
  }
}

/// The evidence for a claim.
private struct Said {
  /// The function table in force.
  private var table: StoredTable?
  private var runs = 0
  var names = ImageNames()

  mutating func add(_ runs: Int) { self.runs = self.runs.addingClamped(runs) }

  mutating func add(_ table: StoredTable) {
    if self.table.map({ table.isInForce(before: $0) }) ?? true { self.table = table }
  }

  /// The truth is the claim of the function table with most proof, else that of most runs.
  func isTruer(than other: Said) -> Bool {
    func order(_ said: Said) -> (Int, UInt64, Int, Int) {
      let proof = said.table?.proof ?? .found
      return (
        proof.rawValue, proof > .found ? said.table?.at ?? 0 : 0, said.runs,
        said.table == nil ? 0 : 1
      )
    }
    return order(self) > order(other)
  }
}
