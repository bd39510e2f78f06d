import FirstlightModel
import FleetModel

/// Removes builds and days from the store.
///
/// The removal is recorded first: from then on, answers exclude the removed rows, and the store
/// refuses new ones of the kind. Then the rows are deleted.
extension ClickHouseFleetStore {
  package func forget(
    _ build: BuildKey, by author: String, on today: FleetDay
  ) async throws -> Bool {
    guard let known = try await known(build)[build] else { return false }
    for key in [build, build.counters].compactMap(\.self) {
      try await remove(
        DroppedEvidence(
          build: key, program: known.program, before: FleetDay(number: today.number + 1),
          reason: "fleet forget"))
    }
    try await note("forgot build \(build.buildID) (\(build.recorder.rawValue)), by \(author)")
    return true
  }

  package func drop(
    _ deletions: [Deletion], report: @Sendable (Deletion, DeletedRows) -> Void
  ) async throws {
    for deletion in deletions {
      let rows: DeletedRows
      switch deletion.target {
      case .days(let cutoff): rows = try await dropDays(before: cutoff, deletion.reason)
      case .build(let key, let program, let lastReport):
        rows = try await dropBuild(
          DroppedEvidence(
            build: key, program: program, before: FleetDay(number: lastReport.number + 1),
            reason: deletion.reason))
      }
      if rows.isEmpty { continue }
      try await note("dropped \(deletion) by \(deletion.reason)")
      report(deletion, rows)
    }
  }

  private func dropBuild(_ dropped: DroppedEvidence) async throws(Failure) -> DeletedRows {
    let isOf = SQLText.isOf(dropped.build)
    let series = try await series(isOf, allowingGaps: false)
    let tables = try await storedTables(isOf)
    // The build may have reported since it was selected.
    let isYounger =
      series.contains { $0.received >= dropped.before }
      || tables.contains { FleetDay(of: Double($0.at)) >= dropped.before }
    guard !isYounger, !series.isEmpty || !tables.isEmpty else { return DeletedRows() }
    var rows = DeletedRows()
    rows.builds = 1
    rows.days = Set(series.map(\.key.day)).count
    (rows.sums, rows.sampledTraces) = (try await functions(where: isOf), try await samples(isOf))
    try await remove(dropped)
    return rows
  }

  private func remove(_ dropped: DroppedEvidence) async throws(Failure) {
    let isOf = SQLText.isOf(dropped.build)
    try await note([dropped])
    let isRow =
      "\(isOf) AND day < \(SQLText.day(dropped.before))"
      + " AND received < \(SQLText.day(dropped.before))"
    // The function table is deleted last, since it makes the build known.
    try await delete([
      ("sums", isRow), ("closed", isRow), ("samples", isOf),
      ("read_failure", isOf), ("contradiction", isOf),
      ("function_bytes", isOf), ("function_table", isOf),
    ])
  }

  private func dropDays(before cutoff: FleetDay, _ reason: String) async throws(Failure)
    -> DeletedRows
  {
    let days = try await buildDays()
    let old = Set(days.filter { $0.received < cutoff }.map(\.place))
    if old.isEmpty { return DeletedRows() }
    let isOld = SQLText.isIn(
      "(build_id, recorder, day)",
      old.map { "\(SQLText.values($0.build)),\(SQLText.day($0.day))" }.sorted())
    let isRow = "\(isOld) AND received < \(SQLText.day(cutoff))"
    let isSample = "\(isOld) AND (day <> \(SQLText.day(.undated)) OR \(isRow))"
    var rows = DeletedRows()
    rows.days = old.count
    (rows.sums, rows.sampledTraces) = (
      try await functions(where: isRow), try await samples(isSample)
    )
    let known = try await known()
    try await note(
      Set(old.map(\.build)).sorted().map { build in
        DroppedEvidence(
          build: build, program: known[build]?.program ?? "", before: cutoff, reason: reason)
      })
    try await delete([("samples", isSample), ("closed", isRow), ("sums", isRow)])
    return rows
  }

  private func samples(_ condition: String) async throws(Failure) -> Int {
    try await on { server throws(Failure) in try await sampleKeys(condition, server).count }
  }

  /// Deletes rows of tables one after the other, waiting for each.
  private func delete(
    _ rows: [(table: String, condition: String)]
  ) async throws(Failure) {
    try await onAll { server throws(Failure) in
      for (table, condition) in rows {
        try await server.run("ALTER TABLE \(schema.local(table)) DELETE WHERE \(condition)")
      }
      while try await isChanging(server) {
        do { try await Task.sleep(for: .milliseconds(100)) } catch {
          throw Failure(.unavailable, "\(name): stopped while waiting")
        }
      }
    }
  }

  private func isChanging(_ server: ClickHouseServer) async throws(Failure) -> Bool {
    let left = try await server.read(
      """
      SELECT count() FROM system.mutations
      WHERE database = \(SQLText.quoted(address.database)) AND is_done = 0
      """
    ) { row throws(Failure) in try row.integer(UInt64.self) }
    return left.first ?? 0 > 0
  }
}

/// Records and lists removals.
extension ClickHouseFleetStore {
  /// Writes removals to each server, so that each can leave the rows out by itself.
  private func note(_ dropped: [DroppedEvidence]) async throws(Failure) {
    var rows = RowWriter()
    for dropped in dropped {
      rows.begin(dropped.build)
      rows.add(dropped.program)
      rows.add(dropped.before)
      rows.add(dropped.reason)
      rows.add(seconds)
    }
    try await onAll { server throws(Failure) in
      try await server.insert(rows, into: schema.local("dropped"))
    }
  }

  func dropped(_ condition: String) async throws(Failure) -> [BuildKey: DroppedEvidence] {
    try await on { server throws(Failure) -> [BuildKey: DroppedEvidence] in
      try await dropped(condition, server)
    }
  }

  /// The removals of builds that match a condition.
  func dropped(
    _ condition: String, _ server: ClickHouseServer
  ) async throws(Failure) -> [BuildKey: DroppedEvidence] {
    let rows = try await droppedRows(condition, server).map { ($0.dropped.build, $0.dropped) }
    return Dictionary(uniqueKeysWithValues: rows)
  }

  package func droppedBuilds(limit: Int) async throws -> [DroppedEvidence] {
    let known = Set(try await known().keys)
    let rows = try await on { server throws(Failure) in try await droppedRows("1", server) }
      .filter { !known.contains($0.dropped.build) && $0.dropped.build.recorder != .counters }
    return rows.sorted { a, b in
      if a.at != b.at { return a.at > b.at }
      if a.dropped.before != b.dropped.before { return a.dropped.before > b.dropped.before }
      return (a.dropped.program, a.dropped.build) < (b.dropped.program, b.dropped.build)
    }.prefix(max(0, limit)).map(\.dropped)
  }

  private func droppedRows(
    _ condition: String, _ server: ClickHouseServer
  ) async throws(Failure) -> [(at: UInt64, dropped: DroppedEvidence)] {
    try await server.read(
      """
      SELECT at, build_id, recorder, program, before, reason FROM \(schema.local("dropped")) FINAL
      WHERE \(condition)
      """
    ) { row throws(Failure) in
      (
        try row.integer(UInt64.self),
        DroppedEvidence(
          build: try row.build(), program: try row.text(), before: try row.day(),
          reason: try row.text())
      )
    }
  }
}
