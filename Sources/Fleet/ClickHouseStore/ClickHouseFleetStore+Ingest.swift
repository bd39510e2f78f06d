import FirstlightModel
import FleetModel

extension ClickHouseFleetStore {
  package func ingest(_ traces: [FleetTrace], on day: FleetDay) async throws -> IngestReceipt {
    if traces.isEmpty { return IngestReceipt() }
    await writing.take()
    do {
      let receipt = try await run { () async throws in
        try await self.add(traces, on: day)
      }
      // The batch is in. Whether its neighbours can be summed up now is another matter.
      if receipt.added > 0 { try? await compact() }
      await writing.give()
      return receipt
    } catch {
      await writing.give()
      throw error
    }
  }

  private func add(
    _ traces: [FleetTrace], on day: FleetDay
  ) async throws(ClickHouseError) -> IngestReceipt {
    var written: (attempt: WriteTag, state: CommitLog.State, known: Known, receipt: IngestReceipt)?
    while true {
      let state = try await log.state()
      let known = try await known(of: traces, in: state)
      if let begun = written?.state, log.isOutdated(begun, now: state) { written = nil }
      // Rows stay right if what they were made from is as it was.
      if written?.known != known {
        var batch = Batch(traces, known: known)
        if batch.receipt.added == 0 { return batch.receipt }
        let attempt = WriteTag(at: tuning.now())
        batch.trimSample()
        try await write(batch, tag: attempt.tag, day: day)
        written = (attempt, state, known, batch.receipt)
      }
      guard let (attempt, _, _, receipt) = written else { continue }
      do {
        try attempt.check(name)
      } catch {
        throw .failure(error)
      }
      switch try await log.commit(.init(tag: attempt.tag), after: state) {
      case .committed: return receipt
      case .taken: break
      case .givenUp: written = nil
      }
    }
  }

  /// What the store knows of what some traces speak of.
  struct Known: Equatable {
    var traces: Set<TraceID> = []
    var guards: [BuildKey: Int] = [:]
    /// Of the traces' programs.
    var sampleLimits: [BuildKey: UInt64] = [:]
    /// How many traces each family has, within the limits.
    var families: [BuildKey: [UInt64: Int]] = [:]
  }

  private func known(
    of traces: [FleetTrace], in state: CommitLog.State
  ) async throws(ClickHouseError) -> Known {
    var known = Known()
    let wanted = Set(traces.map(\.id))
    let horizon = try await horizon()
    let ids = try await first.read(
      """
      SELECT high, low FROM known_trace
      WHERE \(state.isLive) AND low IN \(SQLText.list(Set(wanted.map(\.low)).sorted()))
      AND day >= \(horizon)
      """
    ) { row throws(Failure) in TraceID(high: try row.integer(), low: try row.integer()) }
    known.traces = wanted.intersection(ids)
    let builds = Set(traces.flatMap { $0.images.map(\.build) })
    known.guards = try await guardCounts(of: builds, in: state)
    let programs = Set(traces.compactMap(\.programBuild))
    known.sampleLimits = try await sampleLimits(of: programs, in: state)
    known.families = try await families(
      of: programs, limits: known.sampleLimits, in: state)
    return known
  }

  func guardCounts(
    of builds: Set<BuildKey>, in state: CommitLog.State
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
  func buildRows(_ state: CommitLog.State) -> String {
    let columns = "build_id, recorder, program, path, executable, guards"
    return """
      SELECT \(columns), toUInt8(0) AS named FROM build WHERE \(state.isLive) UNION ALL
      SELECT \(columns), toUInt8(1) AS named FROM function_table
      """
  }
}

extension FleetTrace {
  var programBuild: BuildKey? {
    images.indices.contains(program) ? images[program].build : nil
  }
}

extension RowReader {
  /// The columns build_id and recorder.
  mutating func build() throws(Failure) -> BuildKey {
    let (id, recorder) = (try text(), try text())
    guard let buildID = BuildID(id), let recorder = Recorder(rawValue: recorder) else {
      throw Failure(.data, "damaged ClickHouse store: build \"\(id)\", recorder \"\(recorder)\"")
    }
    return BuildKey(buildID: buildID, recorder: recorder)
  }
}
