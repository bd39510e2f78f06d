import FirstlightModel
import FleetModel
import Foundation
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
        var news: [Int64: BuildNews] = [:]
        var rooms = SeriesRooms()
        let receipts = try published.map {
          try Self.take($0, on: today, &news, &rooms, in: database)
        }
        for (build, news) in news {
          try Self.write(news.callers, of: build, in: database)
          try Self.add(news.names, to: build, in: database)
        }
        return receipts
      }
    } catch {
      return published.map { _ in .failure(error) }
    }
    return receipts.map { .success($0) }
  }

  /// Facts about a build from new rows, collected first because the hosts of a fleet send mostly the same ones.
  private struct BuildNews {
    var callers: [UInt32: UInt64] = [:]
    /// The additional runs under each name.
    var names = ImageNames()
  }

  /// - Parameter news: collects the facts of new rows, by build.
  private static func take(
    _ published: PublishedStates, on today: FleetDay, _ news: inout [Int64: BuildNews],
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
      if try wasRemoved(state.key, state.follows, of: published.publisher, rules, in: database) {
        receipt.refusals[place] = RowRefusal(.removed)
        continue
      }
      let claim = Claim(build: state.key.build, guardCount: state.key.guardCount)
      let admitted =
        try ids[claim]
        ?? admittedID(
          of: state.key.build, guardCount: state.key.guardCount, isExecutable: state.isExecutable,
          in: database)
      guard let build = admitted, try rooms.admit(state.key, build: build, in: database) else {
        receipt.refusals[place] = RowRefusal(.crowded)
        continue
      }
      ids[claim] = build
      let written = try StateRow.write(
        state, of: published.publisher, build: build, on: today, in: database)
      switch written.relation {
      case .newer:
        receipt.added += 1
        news[build, default: BuildNews()].callers.merge(state.callers) { min($0, $1) }
        news[build]?.names.add(state.names)
        news[build]?.names.subtract(written.replaced)
      case .known: receipt.known += 1
      case .foreign: receipt.refusals[place] = RowRefusal(.foreign)
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

  /// The id of the build's row, which is created without a name if it does not exist.
  static func id(
    of key: BuildKey, guardCount: Int, isExecutable: Bool, in database: Database
  ) throws -> Int64 {
    try database.execute(
      cachedSQL: """
        INSERT INTO build (build_id, recorder, program, path, executable, guards)
        VALUES (?, ?, '', '', ?, ?)
        ON CONFLICT DO UPDATE SET executable = excluded.executable
        WHERE executable < excluded.executable
        """,
      arguments: [key.buildID.description, key.recorder.rawValue, isExecutable, guardCount])
    return try row(of: key, guardCount: guardCount, in: database) ?? 0
  }

  /// Adds names, and the runs of each, to a build's.
  static func add(_ names: ImageNames, to build: Int64, in database: Database) throws {
    for (name, use) in names.uses {
      try database.execute(
        cachedSQL: """
          INSERT INTO build_name VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
            path = min(path, excluded.path), runs = min(runs + excluded.runs, \(1 << 60))
          WHERE path > excluded.path OR excluded.runs <> 0
          """, arguments: [build, name.text, use.path, use.runs])
    }
    try database.execute(
      cachedSQL: """
        UPDATE build SET program = best.program, path = best.path
        FROM (
          SELECT program, path FROM build_name WHERE build = ?1
          ORDER BY runs DESC, program LIMIT 1
        ) AS best
        WHERE id = ?1 AND (build.program, build.path) <> (best.program, best.path)
        """, arguments: [build])
  }

  private static func write(
    _ callers: [UInt32: UInt64], of build: Int64, in database: Database
  ) throws {
    if callers.isEmpty { return }
    let known = try Self.callers(of: build, in: database)
    let all = known.merging(callers) { min($0, $1) }
    // Most hosts of a build send the same ones.
    if all == known { return }
    try database.execute(
      cachedSQL: "INSERT OR REPLACE INTO caller VALUES (?, ?)",
      arguments: [build, Data(CallerCoding.encode(all))])
  }

  static func callers(of build: Int64, in database: Database) throws -> [UInt32: UInt64] {
    let bytes = try Data.fetchOne(
      database.cachedStatement(sql: "SELECT addresses FROM caller WHERE build = ?"),
      arguments: [build])
    do throws(Failure) { return try bytes.map(CallerCoding.decode) ?? [:] } catch {
      throw Damage("callers of build \(build): \(error.problem)")
    }
  }

  package func versions(
    of publisher: PublisherID, _ rows: [(key: StateKey, version: RowVersion)]
  ) async throws -> [RowVersion?] {
    try await read { database in
      let rules = try Self.rules(
        of: Set(rows.map(\.key.build)), on: FleetDay(number: 0), in: database)
      return try rows.map { key, version in
        if rules.isClosed(key.day) { return version }
        if try Self.wasRemoved(key, version, of: publisher, rules, in: database) { return version }
        return try Self.version(of: publisher, key, in: database)
      }
    }
  }

  private static func version(
    of publisher: PublisherID, _ key: StateKey, in database: Database
  ) throws -> RowVersion? {
    try row(of: key.build, guardCount: key.guardCount, in: database).flatMap {
      try StateRow.row(of: publisher, key, build: $0, in: database)?.version
    }
  }

  private static func wasRemoved(
    _ key: StateKey, _ follows: RowVersion, of publisher: PublisherID, _ rules: StateRules,
    in database: Database
  ) throws -> Bool {
    // Only few rows may have been, so the others are not looked up.
    guard rules.wasRemoved(key, stored: nil, follows: follows) else { return false }
    return try version(of: publisher, key, in: database) == nil
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
