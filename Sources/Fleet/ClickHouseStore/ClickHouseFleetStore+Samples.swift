import FirstlightModel
import FleetModel

/// Reads the sampled traces. The table may hold more than `TraceSampleRule` keeps: readers apply the rule.
extension ClickHouseFleetStore {
  package func traces(of build: BuildKey, upTo weight: Int) async throws -> [FleetTrace] {
    guard let claim = try await truth(of: build) else { return [] }
    let isOf = SQLText.isOf(build)
    let dropped = try await dropped(isOf)
    let gone = SQLText.day(dropped[build]?.before ?? .undated)
    let text = SQLText.quoted(claim.text)
    let rows = try await rows(
      """
      SELECT \(SampleKey.columns), any(weight),
        max(has(builds, \(text)) AND NOT (day < \(gone) AND received < \(gone)))
      FROM samples WHERE (\(SQLText.claim)) GLOBAL IN (
        SELECT \(SQLText.claim) FROM samples WHERE has(builds, \(text)))
      GROUP BY \(SampleKey.columns)
      """
    ) { row throws(Failure) in
      (key: try row.sampleKey(), weight: try row.number(UInt64.self), isLoaded: try row.bool())
    }
    let kept = sampled(rows.map(\.key))
    let sampled = rows.sorted { $0.key < $1.key }.filter { $0.isLoaded && kept.contains($0.key) }
    var (rest, wanted): (Int, [SampleKey]) = (weight, [])
    for row in sampled {
      rest -= row.weight
      if rest < 0, !wanted.isEmpty { break }
      wanted.append(row.key)
    }
    return try await traces(wanted)
  }

  private func traces(_ wanted: [SampleKey]) async throws(Failure) -> [FleetTrace] {
    let isWanted = SQLText.isIn(
      "(\(SampleKey.columns))",
      wanted.map { key in
        "\(SQLText.values(key.program)),\(key.family),\(SQLText.quoted(key.publisher)),"
          + "\(key.id.high),\(key.id.low)"
      })
    let traces = try await rows(
      "SELECT \(SampleKey.columns), trace FROM samples WHERE \(isWanted)"
    ) { row throws(Failure) in
      let key = try row.sampleKey()
      let bytes = try row.data()
      return (
        key,
        try bytes.withUnsafeBytes { bytes in
          Result { () throws(Failure) in try StateBatch.sample(bytes) }
        }.get()
      )
    }
    let byKey = Dictionary(traces) { first, _ in first }
    return wanted.compactMap { byKey[$0] }
  }

  /// The builds that traces loaded, and their file names.
  func sampledBuilds() async throws(Failure) -> [(claim: Claim, program: String)] {
    let rows = try await rows(
      """
      SELECT b, min(n), greatest(max(day), max(received)) FROM samples
      ARRAY JOIN builds AS b, names AS n GROUP BY b
      """
    ) { row throws(Failure) in (Claim(text: try row.text()), try row.text(), try row.day()) }
    let dropped = try await dropped("1")
    return rows.compactMap { claim, program, last in
      guard let claim, last >= dropped[claim.build]?.before ?? last else { return nil }
      return (claim, program)
    }
  }

  func sampleKeys(
    _ condition: String, _ server: ClickHouseServer
  ) async throws(Failure) -> Set<SampleKey> {
    Set(
      try await server.read(
        "SELECT DISTINCT \(SampleKey.columns) FROM samples WHERE \(condition)"
      ) { row throws(Failure) in try row.sampleKey() })
  }

  /// Removes traces that the samples no longer keep, if there are many.
  func trimSamples() async throws(Failure) {
    let keys = try await on { server throws(Failure) in try await sampleKeys("1", server) }
    let kept = Dictionary(grouping: sampled(keys), by: \.program)
    for (program, keys) in Dictionary(grouping: keys, by: \.program) {
      guard let last = kept[program]?.max(),
        keys.count - (kept[program]?.count ?? 0) > TraceSampleRule.size
      else { continue }
      let place = "family, high, low, publisher"
      let end =
        "\(last.family), \(last.id.high), \(last.id.low), \(SQLText.quoted(last.publisher))"
      try await onAll { server throws(Failure) in
        try await server.run(
          """
          ALTER TABLE \(schema.local("samples")) DELETE WHERE \(SQLText.isOf([program]))
          AND (\(place)) > (\(end))
          """)
      }
    }
  }
}

extension RowReader {
  /// The columns of the primary key of `samples`.
  mutating func sampleKey() throws(Failure) -> SampleKey {
    let program = try claim()
    let family: UInt64 = try integer()
    let publisher = try text()
    return SampleKey(
      program: program, family: family, publisher: publisher,
      id: TraceID(high: try integer(), low: try integer()))
  }
}

/// A sampled trace's identity in the store: a trace from one publisher cannot replace another publisher's.
struct SampleKey: Hashable, Comparable {
  var program: Claim
  var family: UInt64
  var publisher: String
  var id: TraceID

  static let columns = "build_id, recorder, guards, family, publisher, high, low"

  static func < (a: SampleKey, b: SampleKey) -> Bool {
    (a.family, a.id.high, a.id.low, a.publisher, a.program)
      < (b.family, b.id.high, b.id.low, b.publisher, b.program)
  }
}

/// The limit of each program's sample: see `TraceSampleRule`. Samples that accept any trace have none.
func sampleLimits(of keys: some Sequence<SampleKey>) -> [Claim: UInt64] {
  var families: [Claim: [UInt64: Int]] = [:]
  for key in keys { families[key.program, default: [:]][key.family, default: 0] += 1 }
  return families.compactMapValues { counts in
    TraceSampleRule.last(
      of: counts.sorted { $0.key < $1.key }.map { (family: $0.key, traces: $0.value) })
  }
}

/// The traces that the samples keep.
func sampled(_ keys: some Sequence<SampleKey>) -> Set<SampleKey> {
  let limits = sampleLimits(of: keys)
  let fitting = keys.filter { $0.family <= limits[$0.program] ?? .max }
  // Only a very first family can have more.
  return Set(
    Dictionary(grouping: fitting, by: \.program).values
      .flatMap { $0.sorted().prefix(TraceSampleRule.size) })
}
