import FirstlightModel
import FleetModel
import GRDB
import SQLiteSupport

/// Stores arriving rows.
extension SQLiteFleetStore {
  /// Writes all of them in one transaction.
  package func take(
    _ published: [PublishedStates], on today: FleetDay
  ) async -> [Result<StateReceipt, Failure>] {
    let receipts: [StateReceipt]
    do throws(Failure) {
      receipts = try await write { database in
        var callers: [Int64: [UInt32: UInt64]] = [:]
        var rooms = SeriesRooms()
        let receipts = try published.map {
          try Self.take($0, on: today, &callers, &rooms, in: database)
        }
        for (build, callers) in callers { try Self.write(callers, of: build, in: database) }
        return receipts
      }
    } catch {
      return published.map { _ in .failure(error) }
    }
    return receipts.map { .success($0) }
  }

  /// - Parameter callers: collects those of new rows, by build. Hosts of a fleet send mostly the same ones.
  private static func take(
    _ published: PublishedStates, on today: FleetDay, _ callers: inout [Int64: [UInt32: UInt64]],
    _ rooms: inout SeriesRooms, in database: Database
  ) throws -> StateReceipt {
    let programs = published.samples.compactMap { $0.programImage?.build }
    let builds = Set(published.states.map(\.key.build) + programs)
    let loaded = Set(published.samples.flatMap { $0.images.map(\.build) })
    let rules = try rules(of: builds.union(loaded), on: today, in: database)
    var (receipt, taken) = rules.decide(on: published.states)
    var ids: [Claim: Int64] = [:]
    for place in taken {
      let state = published.states[place]
      let claim = Claim(build: state.key.build, guardCount: state.key.guardCount)
      let build = try ids[claim] ?? id(of: state, in: database)
      ids[claim] = build
      guard try rooms.admit(state.key, build: build, in: database) else {
        receipt.setAside(place)
        continue
      }
      let isNew = try StateRow.write(
        state, of: published.publisher, build: build, on: today, in: database)
      if isNew {
        receipt.added += 1
        callers[build, default: [:]].merge(state.callers) { min($0, $1) }
      } else {
        receipt.known += 1
      }
    }
    receipt.samples = try sample(published.samples, of: published.publisher, rules, in: database)
    receipt.sampleLimits = try sampleLimits(of: builds, in: database)
    return receipt
  }

  private struct Claim: Hashable {
    var build: BuildKey
    var guardCount: Int
  }

  private static func id(of state: SeriesState, in database: Database) throws -> Int64 {
    try id(
      of: state.key.build, guardCount: state.key.guardCount, name: state.name,
      isExecutable: state.isExecutable, in: database)
  }

  /// The id of the build's row, which is created if it does not exist.
  /// - Parameter name: the file's name. Of several names the first one in order counts, so that the
  ///   order of arrival does not matter.
  static func id(
    of key: BuildKey, guardCount: Int, name: String, isExecutable: Bool, in database: Database
  ) throws -> Int64 {
    try database.execute(
      cachedSQL: """
        INSERT INTO build (build_id, recorder, program, path, executable, guards)
        VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET executable = max(executable, excluded.executable),
          program = min(program, excluded.program), path = min(path, excluded.path)
        WHERE executable < excluded.executable OR program > excluded.program
          OR path > excluded.path
        """,
      arguments: [
        key.buildID.description, key.recorder.rawValue, BaseName.of(name), name, isExecutable,
        guardCount,
      ])
    return try row(of: key, guardCount: guardCount, in: database) ?? 0
  }

  private static func write(
    _ callers: [UInt32: UInt64], of build: Int64, in database: Database
  ) throws {
    var rows = try RowInsertion(
      sql: """
        INSERT INTO caller VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET address = excluded.address
        WHERE address > excluded.address
        """, in: database)
    // Sorted by guard, so that neighbouring rows are written together.
    for (guardIndex, caller) in callers.sorted(by: { $0.key < $1.key }) {
      rows.add(build)
      rows.add(Int(guardIndex))
      rows.add(Int64(bitPattern: caller))
      try rows.insert()
    }
  }

  package func versions(
    of publisher: PublisherID, _ rows: [(key: StateKey, version: UInt64)]
  ) async throws -> [UInt64?] {
    try await read { database in
      let firstOpenDay = try Self.firstOpenDay(in: database)
      return try rows.map { key, version in
        if key.day < firstOpenDay, key.day != .undated { return version }
        guard let build = try Self.row(of: key.build, guardCount: key.guardCount, in: database)
        else { return nil }
        return try StateRow.row(of: publisher, key, build: build, in: database).map {
          SortableHash.hash($0.version)
        }
      }
    }
  }

  /// The rules for the rows of some builds.
  private static func rules(
    of builds: Set<BuildKey>, on today: FleetDay, in database: Database
  ) throws -> StateRules {
    var dropped: [BuildKey: DroppedEvidence] = [:]
    for build in builds { dropped[build] = try Self.dropped(build, in: database) }
    return StateRules(
      firstOpenDay: try firstOpenDay(in: database), dropped: dropped, today: today)
  }
}
