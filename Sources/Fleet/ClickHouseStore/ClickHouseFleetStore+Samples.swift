import FirstlightModel
import FleetModel

/// Reads the sampled traces. Each shard may hold more than `TraceSampleRule` leaves: readers apply it.
extension ClickHouseFleetStore {
  package func traces(of build: BuildKey, upTo weight: Int) async throws -> [FleetTrace] {
    guard let claim = try await truth(of: build) else { return [] }
    let gone = SQLText.day(try await dropped(SQLText.isOf(build))[build]?.before ?? .undated)
    let isLoaded =
      "NOT (day < \(gone) AND received < \(gone)) AND has(builds, \(SQLText.quoted(claim.text)))"
    let programs = try await rows(
      "SELECT DISTINCT build_id, recorder, guards FROM samples WHERE \(isLoaded)",
      allowingGaps: true
    ) { row throws(Failure) in try row.claim() }
    let isOfPrograms = SQLText.isOf(Set(programs).sorted())
    let keys = try await ofAll(allowingGaps: true) { server throws(Failure) in
      try await self.sampleKeys(isOfPrograms, server)
    }
    let limits = sampleLimits(of: keys.joined())
    let weights = try await rows(
      """
      SELECT build_id, recorder, guards, family, publisher, high, low, any(weight) FROM samples
      WHERE \(isOfPrograms) AND \(isLoaded)
      GROUP BY build_id, recorder, guards, family, publisher, high, low
      """, allowingGaps: true
    ) { row throws(Failure) in (try row.sampleKey(), try row.number(UInt64.self)) }
    let sampled = weights.filter { $0.0.family <= limits[$0.0.program] ?? .max }
      .sorted { $0.0 < $1.0 }
    var (rest, wanted): (Int, [SampleKey]) = (weight, [])
    for (key, weight) in sampled {
      rest -= weight
      if rest < 0, !wanted.isEmpty { break }
      wanted.append(key)
    }
    return try await traces(wanted)
  }

  private func traces(_ wanted: [SampleKey]) async throws(Failure) -> [FleetTrace] {
    let isWanted = SQLText.isIn(
      "(build_id, recorder, guards, family, publisher, high, low)",
      wanted.map { key in
        "\(SQLText.values(key.program)),\(key.family),\(SQLText.quoted(key.publisher)),"
          + "\(key.id.high),\(key.id.low)"
      })
    let traces = try await rows(
      """
      SELECT build_id, recorder, guards, family, publisher, high, low, trace FROM samples
      WHERE \(isWanted)
      """, allowingGaps: true
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

  /// The builds that traces loaded, and what their files are called.
  func sampledBuilds() async throws(Failure) -> [(claim: Claim, program: String)] {
    let rows = try await rows(
      """
      SELECT b, min(n), greatest(max(day), max(received)) FROM samples
      ARRAY JOIN builds AS b, names AS n GROUP BY b
      """, allowingGaps: true
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
        """
        SELECT build_id, recorder, guards, family, publisher, high, low FROM samples
        WHERE \(condition)
        """
      ) { row throws(Failure) in try row.sampleKey() })
  }

  /// Removes what a shard's samples have no room for any more, where that is much.
  func trimSamples(_ server: ClickHouseServer) async throws(Failure) {
    let keys = try await sampleKeys("1", server)
    let limits = sampleLimits(of: keys)
    let excess = keys.filter { $0.family > limits[$0.program] ?? .max }
    for (program, keys) in Dictionary(grouping: excess, by: \.program)
    where keys.count > TraceSampleRule.size {
      try await server.run(
        """
        ALTER TABLE samples DELETE WHERE \(SQLText.isOf([program]))
        AND family > \(limits[program] ?? .max)
        """)
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
