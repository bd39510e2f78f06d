import FirstlightModel
import FleetModel

/// What a batch adds, as rows.
extension ClickHouseFleetStore {
  func write(_ batch: Batch, tag: UInt64, day: FleetDay) async throws(ClickHouseError) {
    try await first.insert(builds(batch, tag), into: "build")
    try await first.insert(callers(batch, tag), into: "caller")
    try await first.insert(series(batch, tag), into: "series")
    try await first.insert(startups(batch, tag), into: "startup")
    try await first.insert(stages(batch, tag), into: "stage")
    try await first.insert(coverage(batch, tag), into: "coverage")
    try await first.insert(arrivals(batch, tag, day), into: "arrival")
    try await first.insert(samples(batch, tag), into: "sampled_trace")
    try await first.insert(limits(batch, tag), into: "sample_limit")
    var ids = RowWriter()
    for id in batch.ids {
      ids.row()
      ids.add(tag)
      ids.add(id.high)
      ids.add(id.low)
      ids.add(day.number)
    }
    try await first.insert(ids, into: "known_trace")
  }

  private func builds(_ batch: Batch, _ tag: UInt64) -> RowWriter {
    var rows = RowWriter()
    for (key, build) in batch.sums.builds {
      rows.begin(tag, key)
      rows.add(BaseName.of(build.name))
      rows.add(build.name)
      rows.add(build.isExecutable)
      rows.add(UInt32(build.guardCount))
    }
    return rows
  }

  private func callers(_ batch: Batch, _ tag: UInt64) -> RowWriter {
    var rows = RowWriter()
    for (key, build) in batch.sums.builds {
      for (guardIndex, address) in build.callers {
        rows.begin(tag, key)
        rows.add(guardIndex)
        rows.add(address)
      }
    }
    return rows
  }

  private func series(_ batch: Batch, _ tag: UInt64) -> RowWriter {
    var rows = RowWriter()
    for (key, series) in batch.sums.series {
      let totals = series.totals
      rows.begin(tag, key)
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
    return rows
  }

  private func startups(_ batch: Batch, _ tag: UInt64) -> RowWriter {
    var rows = RowWriter()
    for (key, series) in batch.sums.series {
      for (bucket, starts) in series.startups.counts {
        rows.begin(tag, key)
        rows.add(bucket)
        rows.add(UInt64(starts))
      }
    }
    return rows
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

  private func coverage(_ batch: Batch, _ tag: UInt64) -> RowWriter {
    var rows = RowWriter()
    for (key, series) in batch.sums.series {
      for (guardIndex, sum) in zip(series.guards, series.sums) {
        rows.begin(tag, key)
        rows.add(guardIndex)
        rows.add(UInt64(sum.runs))
        rows.add(UInt64(sum.hosts))
        rows.add(sum.firstSeen)
        rows.add(sum.lastSeen)
      }
    }
    return rows
  }

  private func arrivals(_ batch: Batch, _ tag: UInt64, _ received: FleetDay) -> RowWriter {
    var rows = RowWriter()
    for day in Set(batch.sums.series.keys.map { BuildDay(build: $0.build, day: $0.day) }) {
      rows.begin(tag, day.build)
      rows.add(day.day.number)
      rows.add(received.number)
    }
    return rows
  }

  private func limits(_ batch: Batch, _ tag: UInt64) -> RowWriter {
    var rows = RowWriter()
    for (program, family) in batch.newLimits {
      rows.begin(tag, program)
      rows.add(family)
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
