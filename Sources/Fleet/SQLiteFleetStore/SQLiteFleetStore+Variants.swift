import FirstlightModel
import FleetModel
import GRDB
import SQLiteSupport

/// Builds of which traces say different things.
///
/// How many guards a build has, whoever sends a trace can say. What a trace says is kept apart from what
/// others say, and answers are made of what is true: what a binary shows that somebody vouched for, else
/// what most runs say.
extension SQLiteFleetStore {
  /// Sorts the rows of one build, the true one first.
  private static let byTruth = """
    confirmed DESC, (SELECT ifnull(sum(runs), 0) FROM series WHERE series.build = variant.id) DESC,
      architecture IS NOT NULL DESC, id
    """

  /// The condition that a row of `build` is the true one of its build.
  static let isTrue = """
    id = (SELECT id FROM build AS variant
      WHERE variant.build_id = build.build_id AND variant.recorder = build.recorder
      ORDER BY \(byTruth) LIMIT 1)
    """

  /// The true row of a build; nil if the build is not known.
  static func row(of key: BuildKey, in database: Database) throws -> (id: Int64, guards: Int)? {
    try Row.fetchOne(
      database,
      sql: """
        SELECT id, guards FROM build AS variant WHERE build_id = ? AND recorder = ?
        ORDER BY \(hasVariants(database) ? byTruth : "id") LIMIT 1
        """, arguments: [key.buildID.description, key.recorder.rawValue]
    ).map { (try $0.value(0), try $0.value(1)) }
  }

  /// Whether the store is of a time since which there can be several; another is opened only to be read.
  static func hasVariants(_ database: Database) throws -> Bool {
    try database.columns(in: "build").contains { $0.name == "confirmed" }
  }

  package func forget(_ build: BuildKey, by author: String) async throws -> Bool {
    try await write { database in
      guard try Self.remove(build, in: database) != nil else { return false }
      try Self.note(
        "forgot build \(build.buildID) (\(build.recorder.rawValue)), by \(author)",
        in: database)
      return true
    }
  }

  /// Removes all rows of a build.
  /// - Returns: nil if there is no such build.
  static func remove(_ build: BuildKey, in database: Database) throws -> DeletedRows? {
    let ids = try Int64.fetchAll(
      database, sql: "SELECT id FROM build WHERE build_id = ? AND recorder = ?",
      arguments: [build.buildID.description, build.recorder.rawValue])
    guard !ids.isEmpty else { return nil }
    var rows = DeletedRows()
    rows.builds = 1
    for id in ids {
      rows.days += try count(
        "SELECT count(DISTINCT day) FROM series WHERE build = ?", id, in: database)
      for table in ["coverage", "startup", "stage"] {
        try database.execute(
          sql: "DELETE FROM \(table) WHERE series IN (SELECT id FROM series WHERE build = ?)",
          arguments: [id])
        if table == "coverage" { rows.sums += database.changesCount }
      }
      try database.execute(
        sql: """
          DELETE FROM sampled_image WHERE build = ?
          OR trace IN (SELECT id FROM sampled_trace WHERE program = ?)
          """, arguments: [id, id])
      try database.execute(sql: "DELETE FROM sampled_trace WHERE program = ?", arguments: [id])
      rows.sampledTraces += database.changesCount
      for table in Self.functionTables + ["series", "caller", "read_failure"] {
        try database.execute(sql: "DELETE FROM \(table) WHERE build = ?", arguments: [id])
      }
      try database.execute(sql: "DELETE FROM build WHERE id = ?", arguments: [id])
    }
    return rows
  }

  /// Notes in `audit` what was removed.
  static func note(_ what: String, in database: Database) throws {
    try database.execute(
      sql: "INSERT INTO audit (at, what) VALUES (strftime('%s', 'now'), ?)", arguments: [what])
  }

  static func count(_ sql: String, _ id: Int64, in database: Database) throws -> Int {
    try Int.fetchOne(database, sql: sql, arguments: [id]) ?? 0
  }

  /// What `register` writes, with a column `build`.
  static let functionTables = [
    "function", "alias", "body", "unguarded", "inlined_at", "inlined", "optimised",
  ]
}

/// Traces that can be added up together: of each build they all say the same.
struct TraceVariants {
  /// Each with how many guards its builds have.
  private(set) var groups: [(guards: [BuildKey: Int], traces: [FleetTrace])] = []
  /// Where the traces of a build with a number of guards were put last.
  private var placeOf: [Claim: Int] = [:]

  private struct Claim: Hashable {
    var build: BuildKey
    var guards: Int
  }

  /// What a trace says against itself; nil if nothing.
  static func contradiction(in trace: FleetTrace) -> String? {
    if trace.images.isEmpty { return "loaded no image" }
    var guards: [BuildKey: Int] = [:]
    for image in trace.images {
      if let known = guards.updateValue(image.guardCount, forKey: image.build),
        known != image.guardCount
      {
        return "\(image.name) (build id \(image.build.buildID.short)) has \(image.guardCount) "
          + "guards in this trace, and \(known)"
      }
    }
    return nil
  }

  /// - Parameter trace: one that does not contradict itself.
  mutating func add(_ trace: FleetTrace) {
    let claims = trace.images.map { Claim(build: $0.build, guards: $0.guardCount) }
    // Nearly always all traces agree.
    let likely = claims.compactMap { placeOf[$0] }.prefix(1) + groups.indices.prefix(1)
    let place = likely.first { fits(claims, groups[$0].guards) } ?? groups.count
    if place == groups.count { groups.append(([:], [])) }
    groups[place].traces.append(trace)
    for claim in claims {
      groups[place].guards[claim.build] = claim.guards
      placeOf[claim] = place
    }
  }

  private func fits(_ claims: [Claim], _ guards: [BuildKey: Int]) -> Bool {
    claims.allSatisfy { guards[$0.build] ?? $0.guards == $0.guards }
  }
}
