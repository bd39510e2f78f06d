import FirstlightModel
import FleetModel

/// What an attempt writes: all of it to one shard, in few rows.
extension ClickHouseFleetStore {
  func write(_ batch: Batch, tag: UInt64, day: FleetDay) async throws(ClickHouseError) {
    // Tags end in random bits.
    let server = servers[Int(tag % UInt64(servers.count))]
    func insert(_ rows: RowWriter, _ table: ClickHouseSchema.Table) async throws(ClickHouseError) {
      try await server.insert(
        rows, into: ClickHouseSchema.local(table.name, cluster: address.cluster))
    }
    try await insert(builds(batch, tag), ClickHouseSchema.seenBuild)
    try await insert(sums(batch, tag, day), ClickHouseSchema.sums)
    try await insert(stages(batch, tag), ClickHouseSchema.stage)
    try await insert(samples(batch, tag), ClickHouseSchema.sampledTrace)
    try await insert(ids(batch, tag, day), ClickHouseSchema.knownTrace)
  }

  private func builds(_ batch: Batch, _ tag: UInt64) -> RowWriter {
    var rows = RowWriter()
    for (key, build) in batch.sums.builds {
      rows.begin(tag, key)
      rows.add(BaseName.of(build.name))
      rows.add(build.name)
      rows.add(build.isExecutable)
      rows.add(UInt32(build.guardCount))
      rows.add(batch.newLimits[key] ?? .max)
      let callers = build.callers.sorted { $0.key < $1.key }
      rows.add(array: callers.map(\.key))
      rows.add(array: callers.map(\.value))
    }
    return rows
  }

  private func sums(_ batch: Batch, _ tag: UInt64, _ received: FleetDay) -> RowWriter {
    var rows = RowWriter()
    for (key, series) in batch.sums.series {
      rows.begin(tag, key)
      rows.add(received.number)
      Self.add(series.totals, to: &rows)
      let starts = series.startups.counts.sorted { $0.key < $1.key }
      rows.add(array: starts.map(\.key))
      rows.add(array: starts.map { UInt64($0.value) })
      rows.add(array: series.guards)
      rows.add(array: series.sums.map { UInt64($0.runs) })
      rows.add(array: series.sums.map { UInt64($0.hosts) })
      rows.add(array: series.sums.map(\.firstSeen))
      rows.add(array: series.sums.map(\.lastSeen))
    }
    return rows
  }

  private static func add(_ totals: SeriesTotals, to rows: inout RowWriter) {
    rows.add(UInt64(totals.runs))
    rows.add(UInt64(totals.hosts))
    rows.add(UInt64(totals.programRuns))
    rows.add(UInt64(totals.processes))
    rows.add(UInt64((min(max(0, totals.seconds), 1e13) * 1e6).rounded()))
    rows.add(UInt64(totals.drops))
    rows.add(UInt64(totals.uncommitted))
    rows.add(UInt64(totals.lostImages))
    rows.add(UInt64(totals.unreadableSegments))
  }

  private func stages(_ batch: Batch, _ tag: UInt64) -> RowWriter {
    var rows = RowWriter()
    for (key, series) in batch.sums.series {
      for (kind, histogram) in series.stages.histograms {
        for (bucket, starts) in histogram.counts {
          rows.begin(tag, key)
          rows.add(kind.rawValue)
          rows.add(bucket)
          rows.add(UInt64(starts))
        }
      }
    }
    return rows
  }

  private func ids(_ batch: Batch, _ tag: UInt64, _ day: FleetDay) -> RowWriter {
    var rows = RowWriter()
    for id in batch.ids {
      rows.row()
      rows.add(tag)
      rows.add(id.high)
      rows.add(id.low)
      rows.add(day.number)
    }
    return rows
  }

  private func samples(_ batch: Batch, _ tag: UInt64) -> RowWriter {
    var rows = RowWriter()
    for trace in batch.sampled {
      guard let program = trace.programBuild, let calls = trace.calls else { continue }
      var rest = trace
      rest.calls = []
      rows.begin(tag, program)
      rows.add(trace.family)
      rows.add(trace.id.high)
      rows.add(trace.id.low)
      rows.add(array: trace.images.map(\.build.text))
      rows.add(trace.labels.version)
      rows.add(trace.labels.text)
      rows.add(trace.startedAt)
      rows.add(trace.seconds)
      rows.add(trace.readyAfter ?? -1)
      rows.add(array: calls.map { UInt32($0.build) })
      rows.add(array: calls.map(\.guardIndex))
      rows.add(array: calls.map(\.thread))
      rows.add(array: calls.map(\.time))
      rows.add(FleetBatch.encode([rest]))
    }
    return rows
  }
}

extension RowWriter {
  mutating func begin(_ tag: UInt64, _ build: BuildKey) {
    row()
    add(tag)
    add(build.buildID.description)
    add(build.recorder.rawValue)
  }

  fileprivate mutating func begin(_ tag: UInt64, _ series: SeriesKey) {
    begin(tag, series.build)
    add(series.day.number)
    add(series.labels.version)
    add(series.labels.text)
  }
}

extension BuildKey {
  /// The build in one word, as `sampled_trace.builds` holds it.
  var text: String { "\(buildID.description)/\(recorder.rawValue)" }
}
