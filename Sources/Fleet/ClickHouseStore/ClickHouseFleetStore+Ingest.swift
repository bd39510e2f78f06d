import FirstlightModel
import FleetModel

extension ClickHouseFleetStore {
  package func ingest(_ traces: [FleetTrace], on day: FleetDay) async throws -> IngestReceipt {
    if traces.isEmpty { return IngestReceipt() }
    switch await queue.join(traces, on: day) {
    case .answered(let answer): return try answer.get()
    case .lead(let entries):
      let answers = await write(entries, on: day)
      await queue.handOn()
      return try answers[0].get()
    }
  }

  /// Writes batches as one, and tells all but the first sender what became of theirs.
  private func write(
    _ entries: [BatchQueue.Entry], on day: FleetDay
  ) async -> [BatchQueue.Answer] {
    await writing.take()
    happened(.waiting(batches: await queue.waitingCount))
    let start = ContinuousClock.now
    let answers: [BatchQueue.Answer]
    do {
      let receipts = try await run { () async throws in
        try await self.add(entries.map(\.traces), on: day)
      }
      answers = receipts.map { .success($0) }
    } catch {
      answers = entries.map { _ in .failure(error) }
    }
    happened(.attempt(seconds: start.duration(to: .now) / .seconds(1)))
    await queue.answer(entries.dropFirst(), answers.dropFirst())
    // The batches are in. Whether their neighbours can be summed up now is another matter.
    if answers.contains(where: { (try? $0.get())?.added ?? 0 > 0 }) { try? await compact() }
    happened(.waiting(batches: await queue.waitingCount))
    await writing.give()
    return answers
  }

  /// Rows that an attempt has written, and what they were made from.
  private struct Written {
    var attempt: WriteTag
    var receipts: [IngestReceipt]
    var known: Known
    /// What the log said when `known` was asked.
    var state: LogState
  }

  private func add(
    _ senders: [[FleetTrace]], on day: FleetDay
  ) async throws(ClickHouseError) -> [IngestReceipt] {
    var state: LogState
    if let last = takeState() { state = last } else { state = try await log.state() }
    var written: Written?
    while true {
      if let rows = written {
        // Rows stay right if what they were made from is as it was.
        if log.isOutdated(rows.state, now: state) {
          written = nil
        } else {
          let known = try await known(of: senders, in: state, since: rows)
          written = known == rows.known ? rows : nil
        }
      }
      if written == nil {
        let known = try await known(of: senders, in: state)
        var batch = Batch(senders, known: known)
        if batch.isEmpty {
          keepState(state)
          return batch.receipts
        }
        let attempt = WriteTag(at: tuning.now())
        let programs = batch.samplePrograms
        batch.trimSample(
          programs.isEmpty
            ? [:] : try await families(of: programs, limits: known.sampleLimits, in: state))
        try await write(batch, tag: attempt.tag, day: day)
        written = Written(
          attempt: attempt, receipts: batch.receipts, known: known, state: state)
      }
      guard let rows = written else { continue }
      do {
        try rows.attempt.check(name)
      } catch {
        throw .failure(error)
      }
      state = try await secured(rows.attempt.tag, in: state)
      let commit = LogCommit(tag: rows.attempt.tag)
      switch try await log.commit(commit, after: state) {
      case .committed:
        keepState(state.followed(by: commit))
        await dropOldSlots(state)
        return rows.receipts
      case .taken: happened(.conflict)
      case .givenUp: written = nil
      }
      state = try await log.state()
    }
  }

  /// What the store knows of what some traces speak of.
  struct Known: Equatable {
    var traces: Set<TraceID> = []
    var guards: [BuildKey: Int] = [:]
    /// Of the traces' programs.
    var sampleLimits: [BuildKey: UInt64] = [:]

    /// Limits may differ: a sample that is stored beyond its limit is not shown.
    static func == (a: Known, b: Known) -> Bool { a.traces == b.traces && a.guards == b.guards }
  }

  /// As `known(of:in:)`, of a later state: asks only for what was committed since rows were written.
  private func known(
    of senders: [[FleetTrace]], in state: LogState, since rows: Written
  ) async throws(ClickHouseError) -> Known {
    var newer = state
    newer.levels = state.levels.filter { rows.state.levels[$0.key] == nil }
    // Deleted rows may have been what is known of a build.
    guard state.deletion == rows.state.deletion else { return Known() }
    let new = try await known(of: senders, in: newer)
    var known = rows.known
    known.traces.formUnion(new.traces)
    known.guards.merge(new.guards) { max($0, $1) }
    return known
  }

  /// A row of the question: what is told, in numbers of the kind's own, of a build or of none.
  private struct Fact {
    var kind: UInt8
    var first: UInt64
    var second: UInt64
    var day: Int64
    var build: (id: String, recorder: String)
  }

  private func known(
    of senders: [[FleetTrace]], in state: LogState
  ) async throws(ClickHouseError) -> Known {
    let traces = senders.joined()
    let wanted = Set(traces.map(\.id))
    let builds = Set(traces.flatMap { $0.images.map(\.build) })
    let isWanted =
      "build_id IN \(SQLText.list(Set(builds.map(\.buildID.description)).sorted()))"
    let facts = try await first.read(
      """
      SELECT toUInt8(0) AS kind, high AS a, low AS b, toInt64(day) AS c, '' AS d, '' AS e
      FROM known_trace
      WHERE \(state.isLive) AND low IN \(SQLText.list(Set(wanted.map(\.low)).sorted()))
      UNION ALL
      SELECT toUInt8(1) AS kind, toUInt64(max(guards)) AS a, min(family) AS b, toInt64(0) AS c,
        build_id AS d, recorder AS e
      FROM seen_build WHERE \(state.isLive) AND \(isWanted) GROUP BY build_id, recorder
      UNION ALL
      SELECT toUInt8(2) AS kind, toUInt64(max(guards)) AS a, toUInt64(0) AS b, toInt64(0) AS c,
        build_id AS d, recorder AS e
      FROM function_table WHERE \(isWanted) GROUP BY build_id, recorder
      UNION ALL
      SELECT toUInt8(3) AS kind, toUInt64(0) AS a, toUInt64(0) AS b,
        toInt64(argMax(day, number)) AS c, '' AS d, '' AS e
      FROM horizons
      """
    ) { row throws(Failure) in
      Fact(
        kind: try row.integer(), first: try row.integer(), second: try row.integer(),
        day: try row.integer(), build: (try row.text(), try row.text()))
    }
    return try Self.known(facts, of: wanted, builds)
  }

  private static func known(
    _ facts: [Fact], of wanted: Set<TraceID>, _ builds: Set<BuildKey>
  ) throws(ClickHouseError) -> Known {
    var known = Known()
    var named: [BuildKey: Int] = [:]
    let horizon = facts.first { $0.kind == 3 }?.day ?? 0
    for fact in facts where fact.kind == 0 && fact.day >= horizon {
      let id = TraceID(high: fact.first, low: fact.second)
      if wanted.contains(id) { known.traces.insert(id) }
    }
    for fact in facts where fact.kind == 1 || fact.kind == 2 {
      let build: BuildKey
      do { build = try BuildKey(stored: fact.build) } catch { throw .failure(error) }
      guard builds.contains(build) else { continue }
      let guards = Int(clamping: fact.first)
      if fact.kind == 2 {
        named[build] = guards
      } else {
        known.guards[build] = guards
        if fact.second != .max { known.sampleLimits[build] = fact.second }
      }
    }
    known.guards.merge(named) { $1 }
    return known
  }

  func guardCounts(
    of builds: Set<BuildKey>, in state: LogState
  ) async throws(ClickHouseError) -> [BuildKey: Int] {
    let rows = try await first.read(
      """
      SELECT build_id, recorder, \(Self.trueGuards) FROM (\(buildRows(state)))
      WHERE build_id IN \(SQLText.list(Set(builds.map(\.buildID.description)).sorted()))
      GROUP BY build_id, recorder
      """
    ) { row throws(Failure) in (try row.build(), try row.number(UInt32.self)) }
    return Dictionary(rows) { first, _ in first }.filter { builds.contains($0.key) }
  }

  /// How many guards a build has: as its binary shows, else as its traces say, of which the first to come
  /// counts.
  static let trueGuards = "if(max(named) = 1, maxIf(guards, named = 1), max(guards))"

  /// Builds as traces and function tables tell of them.
  func buildRows(_ state: LogState) -> String {
    let columns = "build_id, recorder, program, path, executable, guards"
    return """
      SELECT \(columns), toUInt8(0) AS named FROM seen_build WHERE \(state.isLive) UNION ALL
      SELECT \(columns), toUInt8(1) AS named FROM function_table
      """
  }
}

extension FleetTrace {
  var programBuild: BuildKey? {
    images.indices.contains(program) ? images[program].build : nil
  }
}

extension BuildKey {
  /// From the columns build_id and recorder.
  init(stored: (id: String, recorder: String)) throws(Failure) {
    guard let buildID = BuildID(stored.id), let recorder = Recorder(rawValue: stored.recorder)
    else {
      throw Failure(
        .data, "damaged ClickHouse store: build \"\(stored.id)\", recorder \"\(stored.recorder)\"")
    }
    self.init(buildID: buildID, recorder: recorder)
  }
}

extension RowReader {
  /// The columns build_id and recorder.
  mutating func build() throws(Failure) -> BuildKey {
    try BuildKey(stored: (try text(), try text()))
  }
}
