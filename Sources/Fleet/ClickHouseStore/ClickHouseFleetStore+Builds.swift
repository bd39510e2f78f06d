import FirstlightModel
import FleetModel

/// Lists builds and their true numbers of guards.
extension ClickHouseFleetStore {
  package func builds(_ wanted: FleetQuery, page: Page) async throws -> [FleetBuild] {
    var known = try await known()
    if let id = wanted.buildID {
      let named = BuildID.named(id, among: known.keys.map(\.buildID))
      known = known.filter { named.contains($0.key.buildID) }
    }
    // A build's counters are no build of their own.
    known = known.filter { $0.key.recorder != .counters }
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
    let sums = try await sums(of: claims)
    let versions = try await versions(of: claims)
    let tables = try await storedTables(SQLText.isOf(claims))
    let failures = try await lastReadFailures(isOf)
    let contradictions = try await contradictions(isOf)
    let dropped = try await dropped(isOf)
    return page.map { build in
      let key = build.claim.build
      let sum = sums[build.claim]
      let table = Self.best(tables, of: build.claim)
      return FleetBuild(
        key: key, names: build.names.limited,
        isExecutable: sum?.isExecutable == true || table?.isExecutable == true,
        guardCount: build.claim.guards, claims: build.claims, hasFunctions: table != nil,
        versions: versions[build.claim] ?? BuildVersions([]), days: sum?.days,
        totals: sum?.totals ?? SeriesTotals(),
        readFailure: table == nil ? failures[key] : nil, contradiction: contradictions[key],
        dropped: dropped[key])
    }
  }

  private struct BuildSum {
    var days: ClosedRange<FleetDay>
    var isExecutable: Bool
    var totals: SeriesTotals
  }

  private func sums(of claims: [Claim]) async throws(Failure) -> [Claim: BuildSum] {
    let rows = try await liveRows(
      "\(SQLText.claim), min(day), max(day), max(executable), \(Self.sums)",
      where: SQLText.isOf(claims), by: SQLText.claim
    ) { row throws(Failure) in
      let claim = try row.claim()
      let days = (try row.day(), try row.day())
      let isExecutable = try row.bool()
      return (
        claim,
        BuildSum(
          days: days.0...max(days.0, days.1), isExecutable: isExecutable, totals: try row.totals())
      )
    }
    // Open and closed days come separately.
    return Dictionary(rows) { a, b in
      let days = (
        min(a.days.lowerBound, b.days.lowerBound), max(a.days.upperBound, b.days.upperBound)
      )
      return BuildSum(
        days: days.0...days.1, isExecutable: a.isExecutable || b.isExecutable,
        totals: a.totals + b.totals)
    }
  }

  private func versions(of claims: [Claim]) async throws(Failure) -> [Claim: BuildVersions] {
    let key = SQLText.claim
    let columns = "\(key), version, \(SQLText.sum("runs")) AS total"
    let condition = "(\(SQLText.isOf(claims))) AND version <> ''"
    let counts = try await liveRows(
      columns, where: condition, by: "\(key), version",
      selecting: "\(key), uniqExact(version)", grouped: "GROUP BY \(key)"
    ) { row throws(Failure) in (try row.claim(), try row.number(UInt64.self)) }
    let most = try await liveRows(
      columns, where: condition, by: "\(key), version",
      selecting: "\(key), version, \(SQLText.sum("total")) AS most",
      grouped: """
        GROUP BY \(key), version ORDER BY \(key), most DESC, version
        LIMIT \(TraceLimits.versions) BY \(key)
        """
    ) { row throws(Failure) in
      let version = (try row.claim(), try row.text())
      _ = try row.integer(UInt64.self)
      return version
    }
    let listed = Dictionary(grouping: most, by: \.0).mapValues { $0.map(\.1) }
    return Dictionary(
      counts.map { ($0, BuildVersions(listed[$0] ?? [], of: $1)) }, uniquingKeysWith: { $1 })
  }

  package func unnamed(
    among builds: Set<BuildKey>?, after: BuildKey?, limit: Int
  ) async throws -> [UnnamedBuild] {
    let isWanted = builds.map { SQLText.isOf($0.sorted()) } ?? "1"
    let named = Set(try await storedTables(isWanted).map(\.claim))
    let unnamed = try await known(where: isWanted, builds).values
      .filter { known in
        !named.contains(known.claim) && after.map { $0 < known.claim.build } ?? true
      }
      .sorted { $0.claim.build < $1.claim.build }.prefix(limit)
    if unnamed.isEmpty { return [] }
    let failures = try await lastReadFailures(SQLText.isOf(unnamed.map(\.claim.build)))
    return unnamed.map { known in
      UnnamedBuild(
        key: known.claim.build, names: known.names.limited, guardCount: known.claim.guards,
        readFailure: failures[known.claim.build])
    }
  }

  /// A build with its true claim.
  struct KnownBuild: Sendable {
    var claim: Claim
    /// Number of different claims.
    var claims: Int
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
    try await known(where: build.map { SQLText.isOf($0) } ?? "1", build.map { [$0] })
  }

  private func known(
    where condition: String, _ builds: Set<BuildKey>?
  ) async throws(Failure) -> [BuildKey: KnownBuild] {
    var said: [Claim: Said] = [:]
    let counted = try await liveRows(
      "\(SQLText.claim), program, min(path), \(SQLText.sum("counted"))",
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
    if said.isEmpty || builds == nil {
      for (claim, program) in try await sampledBuilds()
      where builds?.contains(claim.build) ?? true {
        said[claim, default: Said()].names.add(program, runs: 0)
      }
    }
    return Dictionary(grouping: said, by: \.key.build).compactMapValues { claims in
      let best = claims.max { a, b in
        b.value.isTruer(than: a.value) || (!a.value.isTruer(than: b.value) && b.key < a.key)
      }
      return best.map {
        KnownBuild(claim: $0.key, claims: claims.count, names: $0.value.names)
      }
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
