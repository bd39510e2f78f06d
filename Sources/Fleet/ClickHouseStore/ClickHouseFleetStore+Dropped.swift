import FirstlightModel
import FleetModel

/// Notes and lists what was removed.
extension ClickHouseFleetStore {
  func note(_ dropped: [DroppedEvidence]) async throws(Failure) {
    var rows = RowWriter()
    for dropped in dropped {
      rows.begin(dropped.build)
      rows.add(dropped.program)
      rows.add(dropped.before)
      rows.add(dropped.reason)
      rows.add(seconds)
    }
    let table = rows
    _ = try await ofAll { server throws(Failure) in
      try await server.insert(table, into: "dropped")
    }
  }

  /// What was removed of the builds that a condition holds for.
  func dropped(_ condition: String) async throws(Failure) -> [BuildKey: DroppedEvidence] {
    let rows = try await droppedRows(condition).map { ($0.dropped.build, $0.dropped) }
    return Dictionary(rows) { $0.before > $1.before ? $0 : $1 }
  }

  package func droppedBuilds(limit: Int) async throws -> [DroppedEvidence] {
    let known = Set(try await known().keys)
    let rows = try await droppedRows("1").filter { !known.contains($0.dropped.build) }
    let latest = Dictionary(rows.map { ($0.dropped.build, $0) }) {
      ($0.dropped.before, $0.at) > ($1.dropped.before, $1.at) ? $0 : $1
    }
    return latest.values.sorted { a, b in
      if a.at != b.at { return a.at > b.at }
      if a.dropped.before != b.dropped.before { return a.dropped.before > b.dropped.before }
      return (a.dropped.program, a.dropped.build) < (b.dropped.program, b.dropped.build)
    }.prefix(max(0, limit)).map(\.dropped)
  }

  private func droppedRows(
    _ condition: String
  ) async throws(Failure) -> [(at: UInt64, dropped: DroppedEvidence)] {
    try await rows(
      """
      SELECT at, build_id, recorder, program, before, reason FROM dropped FINAL WHERE \(condition)
      """, allowingGaps: true
    ) { row throws(Failure) in (try row.integer(UInt64.self), try row.dropped()) }
  }
}

extension RowReader {
  /// The columns build_id, recorder, program, before and reason.
  mutating func dropped() throws(Failure) -> DroppedEvidence {
    DroppedEvidence(
      build: try build(), program: try text(), before: try day(), reason: try text())
  }
}
