import FirstlightModel
import FleetModel

/// The sampled traces of each program.
extension ClickHouseFleetStore {
  package func traces(of build: BuildKey, upTo weight: Int) async throws -> [FleetTrace] {
    try await consistently(allowingGaps: true) { state in
      let limits = try await self.trueSampleLimits(state)
      let isWanted = "\(state.isLive) AND has(builds, \(SQLText.quoted(build.text)))"
      let count = try await self.count(of: isWanted, upTo: weight)
      let rows = try await self.first.read(
        """
        SELECT build_id, recorder, family, high, low, call_image, call_guard, call_thread,
          call_time, rest
        FROM sampled_trace
        WHERE \(isWanted) ORDER BY family, high, low LIMIT \(count)
        """
      ) { row throws(Failure) in try Self.trace(&row) }
      return rows.compactMap { trace in
        guard let program = trace.programBuild else { return nil }
        return trace.family <= limits[program] ?? .max ? trace : nil
      }
    }
  }

  /// How many sampled traces, those of the smallest families first, weigh no more than that; at least one.
  private func count(
    of condition: String, upTo weight: Int
  ) async throws(ClickHouseError) -> Int {
    let weights = try await first.read(
      """
      SELECT toUInt64(length(call_guard) + length(rest)) AS weight FROM sampled_trace
      WHERE \(condition) ORDER BY family, high, low
      """
    ) { row throws(Failure) in try row.number(UInt64.self) }
    var (rest, count) = (weight, 0)
    for weight in weights {
      rest -= weight
      if rest < 0 { break }
      count += 1
    }
    return max(1, count)
  }

  private static func trace(_ row: inout RowReader) throws(Failure) -> FleetTrace {
    _ = try row.build()
    for _ in 0..<3 { _ = try row.integer(UInt64.self) }
    let images = try row.integers(UInt32.self)
    let guards = try row.integers(UInt32.self)
    let threads = try row.integers(UInt32.self)
    let times = try row.integers(UInt64.self)
    let bytes = try row.data()
    let traces = try bytes.withUnsafeBytes { bytes in
      Result { () throws(Failure) in try FleetBatch.decode(bytes) }
    }.get()
    guard var trace = traces.first, traces.count == 1,
      [guards.count, threads.count, times.count].allSatisfy({ $0 == images.count })
    else { throw Failure(.data, "damaged ClickHouse store: a sampled trace") }
    var calls: [RecordedCall] = []
    calls.reserveCapacity(images.count)
    for place in images.indices {
      guard images[place] < trace.images.count else {
        throw Failure(.data, "damaged ClickHouse store: a sampled trace names no image")
      }
      calls.append(
        RecordedCall(
          build: Int32(images[place]), guardIndex: guards[place], thread: threads[place],
          time: times[place]))
    }
    trace.calls = calls
    return trace
  }

  /// The limits that are noted. Attempts that were made at the same time know nothing of each other, so a
  /// sample may hold more until the next one: see `trueSampleLimits`.
  func sampleLimits(
    in state: LogState
  ) async throws(ClickHouseError) -> [BuildKey: UInt64] {
    let rows = try await first.read(
      """
      SELECT build_id, recorder, min(family) AS lowest FROM seen_build
      WHERE \(state.isLive) GROUP BY build_id, recorder HAVING lowest < \(SQLText.noLimit)
      """
    ) { row throws(Failure) in (try row.build(), try row.integer(UInt64.self)) }
    return Dictionary(rows) { min($0, $1) }
  }

  /// The limits of the samples as `TraceSampleRule` has them.
  private func trueSampleLimits(
    _ state: LogState
  ) async throws(ClickHouseError) -> [BuildKey: UInt64] {
    var limits = try await sampleLimits(in: state)
    for (program, families) in try await families(of: nil, limits: limits, in: state) {
      guard let last = TraceSampleRule.last(of: families) else { continue }
      limits[program] = min(limits[program] ?? .max, last)
    }
    return limits
  }

  /// How many traces each family has of those that the limits leave.
  func families(
    of programs: Set<BuildKey>?, limits: [BuildKey: UInt64], in state: LogState
  ) async throws(ClickHouseError) -> [BuildKey: [UInt64: Int]] {
    let wanted = programs.map { programs in
      " AND build_id IN \(SQLText.list(Set(programs.map(\.buildID.description)).sorted()))"
    }
    let rows = try await first.read(
      """
      SELECT build_id, recorder, family, count() FROM sampled_trace
      WHERE \(state.isLive)\(wanted ?? "") GROUP BY build_id, recorder, family
      """
    ) { row throws(Failure) in
      (try row.build(), try row.integer(UInt64.self), try row.number(UInt64.self))
    }
    var families: [BuildKey: [UInt64: Int]] = [:]
    for (build, family, count) in rows
    where family <= limits[build] ?? .max && programs?.contains(build) ?? true {
      families[build, default: [:]][family] = count
    }
    return families
  }

  func sampledTraces(_ state: LogState) async throws(ClickHouseError) -> Int {
    let limits = try await trueSampleLimits(state)
    let families = try await families(of: nil, limits: limits, in: state)
    return families.values.reduce(0) { $0 + $1.values.reduce(0, +) }
  }
}
