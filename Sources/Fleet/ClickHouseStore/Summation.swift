import FleetModel

/// Adds up the rows of several tags under a new one: a statement for each table and shard.
///
/// Each shard takes its own share of the rows of attempts, which lie on any shard, so that rows that add up
/// meet on one. Rows that were added up once lie there already.
struct Summation {
  var tags: [UInt64]
  var tag: UInt64
  /// The first day whose traces are known.
  var horizon: Int32
  /// Of the samples.
  var limits: [BuildKey: UInt64]
  var shards: Int
  /// Whether the rows lie on the shards that they belong to.
  var isSpread: Bool
  var cluster: String?

  func statements(ofShard shard: Int) -> [String] {
    [
      seenBuilds(shard), callers(shard), sums(shard), called(shard), stages(shard),
      sampledTraces(shard), knownTraces(shard),
    ]
  }

  private func local(_ table: ClickHouseSchema.Table) -> String {
    ClickHouseSchema.local(table.name, cluster: cluster)
  }

  private func insert(
    _ table: ClickHouseSchema.Table, _ columns: String, _ select: String
  ) -> String {
    "INSERT INTO \(local(table)) (tag, \(columns)) SELECT toUInt64(\(tag)), \(select)"
  }

  /// Where a table's rows of the tags are read from, and the condition that they belong to a shard.
  /// - Parameter key: of the shard; nil: the table's own.
  private func source(
    _ table: ClickHouseSchema.Table, _ shard: Int, join: String = "", key: String? = nil
  ) -> String {
    let isOfTags = "tag IN \(SQLText.list(tags))"
    let join = join.isEmpty ? "" : " ARRAY JOIN \(join)"
    if isSpread || cluster == nil { return "\(local(table))\(join) WHERE \(isOfTags)" }
    let isShare = "\(key ?? table.shard) % \(shards) = \(shard)"
    return "\(table.name)\(join) WHERE \(isOfTags) AND \(isShare)"
  }

  private func seenBuilds(_ shard: Int) -> String {
    insert(
      ClickHouseSchema.seenBuild,
      "build_id, recorder, program, path, executable, guards, family",
      """
      build_id, recorder, min(program), min(path), max(executable), max(guards), min(family)
      FROM \(source(ClickHouseSchema.seenBuild, shard)) GROUP BY build_id, recorder
      """)
  }

  private func callers(_ shard: Int) -> String {
    let key = "intHash64(caller.guard)"
    return insert(
      ClickHouseSchema.calledFrom, "build, guard, address",
      """
      build, guard, min(address) FROM (
        SELECT \(SQLText.build) AS build, caller.guard AS guard, caller.address AS address
        FROM \(source(ClickHouseSchema.seenBuild, shard, join: "caller", key: key))
        UNION ALL
        SELECT build, guard, address FROM \(source(ClickHouseSchema.calledFrom, shard))
      ) GROUP BY build, guard
      """)
  }

  private func sums(_ shard: Int) -> String {
    let totals = [
      "runs", "hosts", "program_runs", "processes", "microseconds", "drops", "uncommitted",
      "lost_images", "unreadable_segments",
    ]
    let series = "build_id, recorder, day, version, labels"
    let names = totals.joined(separator: ", ")
    // A name of its own for each: an alias would hide its column from the others.
    let added = totals.map { "sum(\($0)) AS s_\($0)" }.joined(separator: ", ")
    let sums = totals.map { "s_\($0)" }.joined(separator: ", ")
    return insert(
      ClickHouseSchema.sums, "\(series), received, \(names), startup.bucket, startup.starts",
      """
      \(series), latest, \(sums), tupleElement(starts, 1), tupleElement(starts, 2) FROM (
        SELECT \(series), max(received) AS latest, \(added),
          sumMap(startup.bucket, startup.starts) AS starts
        FROM \(source(ClickHouseSchema.sums, shard)) GROUP BY \(series)
      )
      """)
  }

  private func called(_ shard: Int) -> String {
    let key = "intHash64(called.guard)"
    return insert(
      ClickHouseSchema.called,
      "build, day, label, guard, runs, hosts, first_seen, last_seen",
      """
      b, day, l, g, sum(r), sum(h), min(f), max(x) FROM (
        SELECT \(SQLText.build) AS b, day, \(SQLText.label) AS l, called.guard AS g,
          called.runs AS r, called.hosts AS h, called.first_seen AS f, called.last_seen AS x
        FROM \(source(ClickHouseSchema.sums, shard, join: "called", key: key))
        UNION ALL
        SELECT build AS b, day, label AS l, guard AS g, runs AS r, hosts AS h, first_seen AS f,
          last_seen AS x
        FROM \(source(ClickHouseSchema.called, shard))
      ) GROUP BY b, day, l, g
      """)
  }

  private func stages(_ shard: Int) -> String {
    let keys = "build_id, recorder, day, version, labels, kind, bucket"
    return insert(
      ClickHouseSchema.stage, "\(keys), starts",
      "\(keys), sum(starts) FROM \(source(ClickHouseSchema.stage, shard)) GROUP BY \(keys)")
  }

  private func sampledTraces(_ shard: Int) -> String {
    let table = ClickHouseSchema.sampledTrace
    let columns = table.columns.split(separator: ",").dropFirst()
      .compactMap { $0.split(whereSeparator: \.isWhitespace).first }.joined(separator: ", ")
    let gone = limits.sorted { $0.key < $1.key }.map { build, limit in
      " AND NOT (\(SQLText.isOf(build)) AND family > \(limit))"
    }
    return insert(table, columns, "\(columns) FROM \(source(table, shard))\(gone.joined())")
  }

  private func knownTraces(_ shard: Int) -> String {
    let table = ClickHouseSchema.knownTrace
    return insert(
      table, "high, low, day",
      "high, low, day FROM \(source(table, shard)) AND day >= \(horizon)")
  }
}
