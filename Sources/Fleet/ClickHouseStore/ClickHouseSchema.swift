/// The tables of a fleet's ClickHouse store. Documentation/ClickHouseStorage.md explains them.
///
/// Only SQL that ClickHouse 18.16 and current ones both take.
enum ClickHouseSchema {
  /// A table that is spread over the shards.
  struct Table: Sendable {
    var name: String
    var columns: String
    var order: String
    /// Says which shard a row belongs to once it was summed up: rows that add up meet on one.
    var shard: String
    var settings = ""
  }

  /// How many steps a store of today has gone through. Step 8 replaced the tables of `FormerSchema`.
  static let version = 8

  private static let build = "tag UInt64, build_id String, recorder String"
  /// Few rows, each with long arrays.
  private static let fewRows = " SETTINGS index_granularity = 16"

  /// A row for each attempt and series. Of an attempt it holds all; once attempts were added up, what
  /// belongs to functions lies in `called`.
  static let sums = Table(
    name: "sums",
    columns: """
      \(build), day Int32, version String, labels String, received Int32, runs UInt64,
      hosts UInt64, program_runs UInt64, processes UInt64, microseconds UInt64, drops UInt64,
      uncommitted UInt64, lost_images UInt64, unreadable_segments UInt64,
      startup Nested(bucket Int32, starts UInt64),
      called Nested(guard UInt32, runs UInt64, hosts UInt64, first_seen Float64,
        last_seen Float64)
      """, order: "build_id, recorder, day, version, labels", shard: "cityHash64(build_id, day)",
    settings: fewRows)

  /// A row for each function and series. 64 bits stand for a build, and for version and labels: see
  /// `SQLText.build`.
  static let called = Table(
    name: "called",
    columns: """
      tag UInt64, build UInt64, day Int32, label UInt64, guard UInt32, runs UInt64, hosts UInt64,
      first_seen Float64, last_seen Float64
      """, order: "build, guard, day, label", shard: "intHash64(guard)")

  /// A row for each attempt and build. `family` is the limit of a program's sample; the largest number
  /// says that there is none.
  static let seenBuild = Table(
    name: "seen_build",
    columns: """
      \(build), program String, path String, executable UInt8, guards UInt32, family UInt64,
      caller Nested(guard UInt32, address UInt64)
      """, order: "build_id, recorder", shard: "cityHash64(build_id)", settings: fewRows)

  /// A row for each function whose caller is known, once attempts were added up.
  static let calledFrom = Table(
    name: "called_from",
    columns: "tag UInt64, build UInt64, guard UInt32, address UInt64", order: "build, guard",
    shard: "intHash64(guard)")

  static let stage = Table(
    name: "stage",
    columns: """
      \(build), day Int32, version String, labels String, kind String, bucket Int32,
      starts UInt64
      """, order: "build_id, recorder, day, version, labels, kind, bucket",
    shard: "cityHash64(build_id, day)")

  static let knownTrace = Table(
    name: "known_trace", columns: "tag UInt64, high UInt64, low UInt64, day Int32",
    order: "low, high", shard: "low", settings: " SETTINGS index_granularity = 256")

  static let sampledTrace = Table(
    name: "sampled_trace",
    columns: """
      tag UInt64, build_id String, recorder String, family UInt64, high UInt64, low UInt64,
      builds Array(String), version String, labels String, started_at Float64, seconds Float64,
      ready_after Float64, call_image Array(UInt32), call_guard Array(UInt32),
      call_thread Array(UInt32), call_time Array(UInt64), rest String
      """, order: "build_id, recorder, family", shard: "cityHash64(build_id)")

  /// Function tables: a row of `function_table` says that the rows of `function` are complete.
  static let functions: [Table] = [
    Table(
      name: "function",
      columns: """
        tag UInt64, build_id String, recorder String, guard UInt32, has_address UInt8,
        address UInt64, size UInt64, name String, aliases Array(String), demangled_name String,
        module String, has_file UInt8, file String, line Int64, compiler_made UInt8, local UInt8
        """, order: "build_id, recorder, guard", shard: "intHash64(guard)"),
    Table(
      name: "function_table",
      columns: """
        tag UInt64, build_id String, recorder String, program String, path String,
        executable UInt8, guards UInt32, architecture String, has_symbols UInt8,
        has_debug_info UInt8, functions UInt32, body_address Array(UInt64),
        body_size Array(UInt64), body_name Array(String)
        """, order: "build_id, recorder", shard: "cityHash64(build_id)"),
  ]

  /// What no guard tells of, with the tag of the row of `function_table` that it belongs to.
  static let unwatched: [Table] = [
    Table(
      name: "unguarded",
      columns: """
        tag UInt64, build_id String, recorder String, id UInt32, has_address UInt8,
        address UInt64, size UInt64, name String, aliases Array(String), demangled_name String,
        module String, has_file UInt8, file String, line Int64, compiler_made UInt8, local UInt8
        """, order: "build_id, recorder, id", shard: "intHash64(id)"),
    Table(
      name: "inlined",
      columns: """
        tag UInt64, build_id String, recorder String, id UInt32, name String,
        demangled_name String, module String, has_file UInt8, file String, line Int64,
        unwatched_host UInt8, hosts Array(UInt32), guards Array(UInt32)
        """, order: "build_id, recorder, id", shard: "intHash64(id)"),
    Table(
      name: "optimised", columns: build, order: "build_id, recorder",
      shard: "cityHash64(build_id)"),
  ]

  /// Says of a function table that all of it is there: a row for each tag whose `unguarded` and the
  /// others were written, be there any or not. What was registered before has none.
  static let whole: [Table] = [
    Table(
      name: "whole_table", columns: build, order: "build_id, recorder",
      shard: "cityHash64(build_id)")
  ]

  /// Files whose readers had to be stopped. Not part of the log: the row with the most attempts counts,
  /// and none once the build has a function table. All rows have the tag 0.
  static let readFailures: [Table] = [
    Table(
      name: "read_failure",
      columns: """
        tag UInt64, build_id String, recorder String, file String, reason String, attempts UInt32,
        at Float64
        """, order: "build_id, recorder, file", shard: "cityHash64(build_id)")
  ]

  /// What batches add rows to.
  static let evidence = [sums, called, seenBuild, calledFrom, stage, knownTrace, sampledTrace]

  /// What is told of builds beside evidence, in the order in which it is removed: the table that says that
  /// others are complete goes first.
  static let descriptions = functions.reversed() + unwatched + whole + readFailures

  /// Tables of the first server alone.
  static let log = [
    """
    CREATE TABLE IF NOT EXISTS committed (
      number UInt64, tag UInt64, level UInt32, replaces Array(UInt64)
    ) ENGINE = MergeTree ORDER BY number
    """
  ]

  /// The first day whose traces are known, which can also come down again: the row with the largest number
  /// counts.
  static let horizons = [
    """
    CREATE TABLE IF NOT EXISTS horizons (number UInt64, day Int32) ENGINE = MergeTree
    ORDER BY number
    """
  ]

  /// What administrators did; `at` is seconds since 1970.
  static let audit = [
    "CREATE TABLE IF NOT EXISTS audit (at UInt64, what String) ENGINE = MergeTree ORDER BY at"
  ]

  /// What retention removed, also of builds that are gone: the last row of a build counts. `before` is a
  /// day, `at` is seconds since 1970.
  static let dropped = [
    """
    CREATE TABLE IF NOT EXISTS dropped (
      build_id String, recorder String, program String, before Int32, reason String, at UInt64
    ) ENGINE = ReplacingMergeTree(at) ORDER BY (build_id, recorder)
    """
  ]

  /// The statements that make all that a server has; the first server alone keeps the log. Each can be
  /// done again without harm.
  static func tables(of address: ClickHouseAddress, isFirst: Bool) -> [String] {
    if address.isReplicated { return replicatedTables(of: address) }
    return (evidence + descriptions).flatMap { statements(for: $0, of: address) }
      + (isFirst ? log + horizons + audit + dropped : [])
  }

  /// With replicas: each shard's part of a table has a path of its own in ZooKeeper; what belongs to no shard
  /// is on all servers.
  private static func replicatedTables(of address: ClickHouseAddress) -> [String] {
    let path = KeeperCommitLog.path(of: address)
    let shared = (horizons + audit + dropped).map { statement in
      // The first words name the table.
      let table = statement.split(whereSeparator: { !$0.isLetter })[5]
      let place = "'\(path)/all/\(table)', '{shard}_{replica}'"
      return statement.replacing(
        "ENGINE = ReplacingMergeTree(at)",
        with: "ENGINE = ReplicatedReplacingMergeTree(\(place), at)"
      ).replacing("ENGINE = MergeTree", with: "ENGINE = ReplicatedMergeTree(\(place))")
    }
    return (evidence + descriptions).map { table in
      make(
        table, called: "\(table.name)_local",
        engine: "ReplicatedMergeTree('\(path)/shards/{shard}/\(table.name)', '{replica}')")
    } + shared
  }

  /// The name that a server's own part of a table has.
  static func local(_ table: String, cluster: String?) -> String {
    cluster == nil ? table : table + "_local"
  }

  static func statements(for table: Table, of address: ClickHouseAddress) -> [String] {
    let local = local(table.name, cluster: address.cluster)
    let made = make(table, called: local)
    guard let cluster = address.cluster else { return [made] }
    return [
      made,
      """
      CREATE TABLE IF NOT EXISTS \(table.name) AS \(local)
      ENGINE = Distributed('\(cluster)', '\(address.database)', '\(local)', \(table.shard))
      """,
    ]
  }

  /// Makes the part of a table that one server has.
  static func make(
    _ table: Table, called name: String, engine: String = "MergeTree"
  ) -> String {
    """
    CREATE TABLE IF NOT EXISTS \(name) (\(table.columns)
    ) ENGINE = \(engine) PARTITION BY tag ORDER BY (\(table.order))\(table.settings)
    """
  }
}
