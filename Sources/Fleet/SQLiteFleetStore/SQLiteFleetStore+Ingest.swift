import FirstlightModel
import FleetModel
import Foundation
import GRDB
import ProfileFile
import SQLiteSupport

extension SQLiteFleetStore {
  package func ingest(_ traces: [FleetTrace], on day: FleetDay) async throws -> IngestReceipt {
    try await write { database in
      var receipt = IngestReceipt()
      var variants = TraceVariants()
      var programs: Set<BuildKey> = []
      var known = try RowInsertion(into: "known_trace", columns: 3, in: database)
      for trace in traces {
        if let program = trace.images.indices.contains(trace.program) ? trace.program : nil {
          programs.insert(trace.images[program].build)
        }
        if let reason = TraceVariants.contradiction(in: trace) {
          receipt.refused.append(RefusedTrace(id: trace.id, reason: reason))
          continue
        }
        known.add(Int64(bitPattern: trace.id.high))
        known.add(Int64(bitPattern: trace.id.low))
        known.add(Int(day.number))
        try known.insert()
        guard database.changesCount == 1 else {
          receipt.known += 1
          continue
        }
        receipt.added += 1
        variants.add(trace)
      }
      for group in variants.groups { try add(group.traces, on: day, in: database) }
      receipt.sampleLimits = try sampleLimits(of: programs, in: database)
      return receipt
    }
  }

  /// - Parameter traces: of each build they all say the same.
  private func add(_ traces: [FleetTrace], on day: FleetDay, in database: Database) throws {
    let sums = BatchSums(traces)
    let ids = try writeBuilds(sums.builds, in: database)
    for (key, series) in sums.series {
      guard let build = ids[key.build] else { continue }
      try write(series, of: key, build: build, on: day, in: database)
    }
    for trace in traces where trace.calls != nil { try sample(trace, builds: ids, in: database) }
    for id in Set(traces.compactMap { ids[$0.images[$0.program].build] }) {
      try trimSample(of: id, in: database)
    }
  }

  private func writeBuilds(
    _ builds: [BuildKey: BatchSums.SeenBuild], in database: Database
  ) throws -> [BuildKey: Int64] {
    var ids: [BuildKey: Int64] = [:]
    for (key, build) in builds {
      let id = try Self.id(of: key, build, in: database)
      ids[key] = id
      for (guardIndex, caller) in build.callers {
        try database.execute(
          cachedSQL: """
            INSERT INTO caller VALUES (?, ?, ?)
            ON CONFLICT DO UPDATE SET address = min(address, excluded.address)
            """, arguments: [id, Int64(guardIndex), Int64(bitPattern: caller)])
      }
    }
    return ids
  }

  /// The build's row, made if there is none.
  static func id(
    of key: BuildKey, _ build: BatchSums.SeenBuild, in database: Database
  ) throws -> Int64 {
    try database.execute(
      cachedSQL: """
        INSERT INTO build (build_id, recorder, program, path, executable, guards)
        VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET executable = max(executable, excluded.executable)
        """,
      arguments: [
        key.buildID.description, key.recorder.rawValue,
        BaseName.of(build.name), build.name,
        build.isExecutable, build.guardCount,
      ])
    return try Int64.fetchOne(
      database, sql: "SELECT id FROM build WHERE build_id = ? AND recorder = ? AND guards = ?",
      arguments: [key.buildID.description, key.recorder.rawValue, build.guardCount]) ?? 0
  }

  private func write(
    _ series: BatchSums.Series, of key: SeriesKey, build: Int64, on day: FleetDay,
    in database: Database
  ) throws {
    let totals = series.totals
    try database.execute(
      cachedSQL: """
        INSERT INTO series VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (build, day, version, labels) DO UPDATE SET
          runs = runs + excluded.runs, hosts = hosts + excluded.hosts,
          program_runs = program_runs + excluded.program_runs,
          processes = processes + excluded.processes, seconds = seconds + excluded.seconds,
          drops = drops + excluded.drops, uncommitted = uncommitted + excluded.uncommitted,
          lost_images = lost_images + excluded.lost_images,
          unreadable_segments = unreadable_segments + excluded.unreadable_segments,
          received = max(received, excluded.received)
        """,
      arguments: [
        build, key.day.number, key.labels.version, key.labels.text, totals.runs, totals.hosts,
        totals.programRuns, totals.processes, totals.seconds, totals.drops, totals.uncommitted,
        totals.lostImages, totals.unreadableSegments, day.number,
      ])
    let id =
      try Int64.fetchOne(
        database,
        sql: "SELECT id FROM series WHERE build = ? AND day = ? AND version = ? AND labels = ?",
        arguments: [build, key.day.number, key.labels.version, key.labels.text]) ?? 0
    var rows = try RowInsertion(
      sql: """
        INSERT INTO coverage VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET runs = runs + excluded.runs, hosts = hosts + excluded.hosts,
          first_seen = min(first_seen, excluded.first_seen),
          last_seen = max(last_seen, excluded.last_seen)
        """, in: database)
    for (guardIndex, sum) in zip(series.guards, series.sums) {
      rows.add(id)
      rows.add(Int(guardIndex))
      rows.add(sum.runs)
      rows.add(sum.hosts)
      rows.add(sum.firstSeen)
      rows.add(sum.lastSeen)
      try rows.insert()
    }
    for (bucket, starts) in series.startups.counts {
      try database.execute(
        cachedSQL: """
          INSERT INTO startup VALUES (?, ?, ?)
          ON CONFLICT DO UPDATE SET starts = starts + excluded.starts
          """, arguments: [id, bucket, starts])
    }
    for (kind, histogram) in series.stages.histograms {
      for (bucket, starts) in histogram.counts {
        try database.execute(
          cachedSQL: """
            INSERT INTO stage VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET starts = starts + excluded.starts
            """, arguments: [id, kind.rawValue, bucket, starts])
      }
    }
  }
}
