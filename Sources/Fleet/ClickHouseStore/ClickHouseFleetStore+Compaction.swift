import FirstlightModel

/// Sums of sums: many batches become one tag, many such tags one of the next level, so that a function
/// has as many rows a day as there are levels or so, not as there were batches.
extension ClickHouseFleetStore {
  /// Adds up the tags of the lowest level that has enough of them, and then of the next.
  func compact() async throws(Failure) {
    try await run { () async throws in
      while true {
        let state = try await self.log.state()
        let byLevel = Dictionary(grouping: state.levels.keys) { state.levels[$0] ?? 0 }
        guard
          let (level, tags) = byLevel.sorted(by: { $0.key < $1.key })
            .first(where: { $0.value.count >= self.tuning.fan })
        else { return }
        guard try await self.replace(tags.sorted(), level: level, in: state) else { return }
        if level > 0 { try await self.log.prune(try await self.log.state()) }
      }
    }
  }

  /// - Returns: false if another daemon replaced them first.
  private func replace(
    _ tags: [UInt64], level: UInt32, in before: CommitLog.State
  ) async throws(ClickHouseError) -> Bool {
    let attempt = WriteTag(at: tuning.now())
    let horizon = try await horizon()
    let limits = try await sampleLimits(of: nil, in: before)
    for server in servers {
      for table in ClickHouseSchema.evidence {
        let local = ClickHouseSchema.local(table.name, cluster: address.cluster)
        let source = "FROM \(local) WHERE tag IN \(SQLText.list(tags))"
        let sql: String
        if let sums = table.sums {
          sql = "SELECT toUInt64(\(attempt.tag)), \(sums.columns) \(source) GROUP BY \(sums.keys)"
        } else if table.name == "known_trace" {
          sql =
            "SELECT toUInt64(\(attempt.tag)), high, low, day \(source) AND day >= \(horizon)"
        } else {
          let gone = limits.map { build, limit in
            " AND NOT (\(SQLText.isOf(build)) AND family > \(limit))"
          }
          let columns = table.columns.split(separator: ",").dropFirst()
            .compactMap { $0.split(whereSeparator: \.isWhitespace).first }.joined(separator: ", ")
          sql = "SELECT toUInt64(\(attempt.tag)), \(columns) \(source)\(gone.joined())"
        }
        try await server.run("INSERT INTO \(local) \(sql)")
      }
    }
    let commit = CommitLog.Commit(tag: attempt.tag, level: level + 1, replaces: tags)
    var state = before
    while true {
      do {
        try attempt.check(name)
      } catch {
        throw .failure(error)
      }
      let outcome = try await log.commit(commit, after: state)
      if outcome == .committed { break }
      if outcome == .givenUp { return false }
      state = try await log.state()
      // Rows that were added meanwhile are no matter; rows that are counted elsewhere or were deleted are.
      guard tags.allSatisfy({ state.levels[$0] != nil }), state.deletion == before.deletion,
        !log.isOutdated(before, now: state)
      else { return false }
    }
    try await removeRows(of: Set(tags))
    return true
  }

  /// Removes rows that were replaced, and those of attempts that broke off a day ago.
  ///
  /// Whether that is long ago only a clock says, and it may be wrong: so such attempts are given up in the log
  /// first, and who is still at one hears of it when he commits.
  private func removeRows(of replaced: Set<UInt64>) async throws(ClickHouseError) {
    let live = try await log.state().levels
    let tables = Set(
      ClickHouseSchema.evidence.map {
        ClickHouseSchema.local($0.name, cluster: address.cluster)
      })
    var parts: [(server: ClickHouseServer, table: String, tag: UInt64)] = []
    for server in servers {
      let found = try await server.read(
        """
        SELECT table, partition FROM system.parts
        WHERE database = \(SQLText.quoted(address.database)) AND active GROUP BY table, partition
        """
      ) { row throws(Failure) in (try row.text(), try row.text()) }
      for (table, partition) in found where tables.contains(table) {
        guard let tag = UInt64(partition), live[tag] == nil else { continue }
        parts.append((server, table, tag))
      }
    }
    let abandoned = WriteTag.abandoned(at: tuning.now())
    let old = Set(parts.map(\.tag).filter { !replaced.contains($0) && $0 < abandoned })
    let removable = replaced.union(try await log.giveUp(Set(old.sorted().prefix(500))))
    for part in parts where removable.contains(part.tag) {
      try await part.server.run("ALTER TABLE \(part.table) DROP PARTITION \(part.tag)")
    }
  }
}
