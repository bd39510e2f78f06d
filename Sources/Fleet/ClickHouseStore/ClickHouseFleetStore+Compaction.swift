import FirstlightModel

/// Sums of sums: many batches become one tag, many such tags one of the next level, so that a function
/// has as many rows a day as there are levels or so, not as there were batches.
extension ClickHouseFleetStore {
  /// Adds up the tags of the lowest level that has enough of them, and then of the next.
  func compact() async throws(Failure) {
    try await run { () async throws in
      try? await self.readmit()
      var kept = self.takeState()
      while true {
        let state: LogState
        if let known = kept { state = known } else { state = try await self.log.state() }
        let byLevel = Dictionary(grouping: state.levels.keys) { state.levels[$0] ?? 0 }
        guard
          let (level, tags) = byLevel.sorted(by: { $0.key < $1.key })
            .first(where: { self.isDue($0.value.count) })
        else { return self.keepState(state) }
        kept = nil
        let start = ContinuousClock.now
        let isDone = try await self.replace(tags.sorted(), level: level, in: state)
        self.happened(.compaction(seconds: start.duration(to: .now) / .seconds(1)))
        guard isDone else { return }
        if level > 0 { try await self.log.prune(try await self.log.state()) }
      }
    }
  }

  /// Whether so many tags of a level are to be added up by this daemon. Commits come one by one, so one daemon
  /// sees the number that it takes; the others go on meanwhile, and do it only if that one seems to be gone:
  /// twice is twice the work for nothing.
  private func isDue(_ count: Int) -> Bool {
    count == tuning.fan || count >= tuning.fan * 3
  }

  /// - Returns: false if another daemon replaced them first.
  private func replace(
    _ tags: [UInt64], level: UInt32, in before: LogState
  ) async throws(ClickHouseError) -> Bool {
    let attempt = WriteTag(at: tuning.now())
    let summation = Summation(
      tags: tags, tag: attempt.tag, horizon: try await horizon(),
      limits: try await sampleLimits(in: before), shards: servers.count,
      // Of an attempt one shard has all rows.
      isSpread: level > 0, cluster: address.cluster)
    for (shard, server) in servers.enumerated() {
      var patient = server
      patient.timeout = 600
      for statement in summation.statements(ofShard: shard) { try await patient.run(statement) }
    }
    let commit = LogCommit(tag: attempt.tag, level: level + 1, replaces: tags)
    var state = before
    while true {
      do {
        try attempt.check(name)
      } catch {
        throw .failure(error)
      }
      state = try await secured(attempt.tag, in: state)
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
    let parts = try await parts().filter { live[$0.tag] == nil }
    let abandoned = WriteTag.abandoned(at: tuning.now())
    let waiting = replacedTags.withLock { Set($0.keys) }
    let old = Set(
      parts.map(\.tag).filter {
        !replaced.contains($0) && !waiting.contains($0) && $0 < abandoned
      })
    let removable = removable(replaced).union(try await log.giveUp(Set(old.sorted().prefix(500))))
    for (place, server) in servers.enumerated() {
      let own = parts.filter { $0.server == place && removable.contains($0.tag) }
      for (table, parts) in Dictionary(grouping: own, by: \.table).sorted(by: { $0.key < $1.key }) {
        let drops = parts.map { "DROP PARTITION \($0.tag)" }.joined(separator: ", ")
        try await server.run("ALTER TABLE \(table) \(drops)")
      }
    }
  }

  /// Replaced tags that nobody reads any more: with replicas, ZooKeeper may show somebody a log that is some
  /// seconds old.
  private func removable(_ replaced: Set<UInt64>) -> Set<UInt64> {
    guard choice != nil else { return replaced }
    let now = ContinuousClock.now
    return replacedTags.withLock { tags in
      for tag in replaced { tags[tag] = now }
      let old = tags.filter { $0.value.duration(to: now) >= tuning.keptReplaced }.keys
      for tag in old { tags[tag] = nil }
      return Set(old)
    }
  }

  /// A tag's rows in a table of a server.
  private struct Part {
    var server: Int
    var table: String
    var tag: UInt64
  }

  private func parts() async throws(ClickHouseError) -> [Part] {
    let tables = ClickHouseSchema.evidence.map {
      ClickHouseSchema.local($0.name, cluster: address.cluster)
    }
    var parts: [Part] = []
    for (place, server) in servers.enumerated() {
      let found = try await server.read(
        """
        SELECT table, partition FROM system.parts
        WHERE database = \(SQLText.quoted(address.database)) AND active
        AND table IN \(SQLText.list(tables)) GROUP BY table, partition
        """
      ) { row throws(Failure) in (try row.text(), try row.text()) }
      parts += found.compactMap { table, partition in
        UInt64(partition).map { Part(server: place, table: table, tag: $0) }
      }
    }
    return parts
  }
}
