import FirstlightModel
import FleetModel

/// What retention looks at.
extension ClickHouseFleetStore {
  /// About as many bytes rows take on disk: measured, see Documentation/Fleet.md.
  private static let bytesOfSum = 10
  private static let bytesOfFunction = 100

  package func inventory(sizedAbove limit: Int?) async throws -> StoreInventory {
    try await consistently { state in
      let bytes = try await self.usedBytes()
      var builds: [BuildKey: StoreInventory.Build] = [:]
      for (key, program) in try await self.programs(state) {
        builds[key] = StoreInventory.Build(key: key, program: program)
      }
      // A tag says when its row was written.
      let registered = try await self.first.read(
        "SELECT build_id, recorder, max(tag) FROM function_table GROUP BY build_id, recorder"
      ) { row throws(Failure) in
        (try row.build(), FleetDay(of: WriteTag.seconds(of: try row.integer(UInt64.self))))
      }
      for (key, day) in registered { builds[key]?.registered = day }
      let isLarge = limit.map { bytes > $0 } ?? false
      let sizes = isLarge ? try await self.sizes(state) : Sizes()
      for (place, received) in try await self.received(state) {
        builds[place.build]?.days.append(
          StoreInventory.Day(
            day: place.day, received: received, bytes: sizes.days[place, default: 0]))
      }
      for (key, size) in sizes.functions { builds[key]?.functionBytes = size }
      return StoreInventory(builds: Array(builds.values), bytes: bytes)
    }
  }

  /// What each build's file is called.
  func programs(
    _ state: LogState
  ) async throws(ClickHouseError) -> [BuildKey: String] {
    let rows = try await first.read(
      """
      SELECT build_id, recorder, min(program) FROM (\(buildRows(state)))
      GROUP BY build_id, recorder
      """
    ) { row throws(Failure) in (try row.build(), try row.text()) }
    return Dictionary(rows) { first, _ in first }
  }

  private func usedBytes() async throws(ClickHouseError) -> Int {
    var bytes = 0
    for server in servers {
      let used = try await server.read(
        """
        SELECT sum(bytes_on_disk) FROM system.parts
        WHERE database = \(SQLText.quoted(address.database)) AND active
        """
      ) { row throws(Failure) in try row.number(UInt64.self) }
      bytes += used.first ?? 0
    }
    return bytes
  }

  /// The last day on which something came for each day of each build.
  func received(_ state: LogState) async throws(ClickHouseError) -> [BuildDay: FleetDay] {
    let today = FleetDay(of: tuning.now())
    let days = try await first.read(
      """
      SELECT build_id, recorder, day, max(received) FROM sums WHERE \(state.isLive)
      GROUP BY build_id, recorder, day
      """
    ) { row throws(Failure) in
      (
        BuildDay(build: try row.build(), day: FleetDay(number: try row.integer(Int32.self))),
        FleetDay(number: try row.integer(Int32.self))
      )
    }
    return days.reduce(into: [:]) { all, day in
      // Batches that came before arrivals were noted have none.
      let isNoted = day.1.number > 0
      all[day.0] =
        isNoted ? day.1 : StoreInventory.Day.assumedArrival(of: day.0.day, today: today)
    }
  }

  /// Estimates of what rows take up.
  private struct Sizes {
    var days: [BuildDay: Int] = [:]
    var functions: [BuildKey: Int] = [:]
  }

  private func sizes(_ state: LogState) async throws(ClickHouseError) -> Sizes {
    let sums = try await first.read(
      """
      SELECT build_id, recorder, day, \(SQLText.build), sum(length(called.guard))
      FROM sums WHERE \(state.isLive) GROUP BY build_id, recorder, day
      """
    ) { row throws(Failure) in
      (
        day: BuildDay(
          build: try row.build(), day: FleetDay(number: try row.integer(Int32.self))),
        number: try row.integer(UInt64.self), functions: try row.number(UInt64.self)
      )
    }
    let counts = try await first.read(
      "SELECT build, day, count() FROM called WHERE \(state.isLive) GROUP BY build, day"
    ) { row throws(Failure) in
      (
        NumberedDay(number: try row.integer(), day: try row.integer()),
        try row.number(UInt64.self)
      )
    }
    let called = Dictionary(counts) { $0 + $1 }
    let functions = try await first.read(
      "SELECT build_id, recorder, count() FROM function GROUP BY build_id, recorder"
    ) { row throws(Failure) in
      (try row.build(), try row.number(UInt64.self) * Self.bytesOfFunction)
    }
    let days = sums.map { sum in
      let place = NumberedDay(number: sum.number, day: sum.day.day.number)
      return (sum.day, (sum.functions + called[place, default: 0]) * Self.bytesOfSum)
    }
    return Sizes(
      days: Dictionary(days) { $0 + $1 }, functions: Dictionary(functions) { $0 + $1 })
  }

  /// A day of a build as `called` has it.
  private struct NumberedDay: Hashable {
    var number: UInt64
    var day: Int32
  }
}
