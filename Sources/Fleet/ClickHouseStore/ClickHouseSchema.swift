/// The tables of a fleet's ClickHouse store, by numbered steps; each can be done again without harm.
/// Documentation/Fleet.md explains them.
///
/// Only SQL that ClickHouse 18.16 and current ones both take.
enum ClickHouseSchema {
  /// A table that is spread over the shards.
  struct Table {
    var name: String
    var columns: String
    var order: String
    /// Says which shard a row belongs to: rows that add up meet on one.
    var shard: String
    /// The columns behind `tag` as the rows of several tags add up to one, and what they are grouped
    /// by; nil if no rows of different tags add up.
    var sums: (columns: String, keys: String)?
    var settings = ""
  }

  private static let series = "build_id, recorder, day, version, labels"
  private static let seriesColumns =
    "tag UInt64, build_id String, recorder String, day Int32, version String, labels String"

  static let first: [Table] = [
    Table(
      name: "build",
      columns: """
        tag UInt64, build_id String, recorder String, program String, path String,
        executable UInt8, guards UInt32
        """, order: "build_id, recorder", shard: "cityHash64(build_id)",
      sums: (
        "build_id, recorder, min(program), min(path), max(executable), max(guards)",
        "build_id, recorder"
      )),
    Table(
      name: "caller",
      columns: "tag UInt64, build_id String, recorder String, guard UInt32, address UInt64",
      order: "build_id, recorder, guard", shard: "intHash64(guard)",
      sums: ("build_id, recorder, guard, min(address)", "build_id, recorder, guard")),
    Table(
      name: "series",
      columns: seriesColumns + """
        , runs UInt64, hosts UInt64, program_runs UInt64, processes UInt64, microseconds UInt64,
        drops UInt64, uncommitted UInt64, lost_images UInt64, unreadable_segments UInt64
        """, order: series, shard: "cityHash64(build_id, day)",
      sums: (
        series
          + """
          , sum(runs), sum(hosts), sum(program_runs), sum(processes), sum(microseconds), sum(drops),
          sum(uncommitted), sum(lost_images), sum(unreadable_segments)
          """, series
      )),
    Table(
      name: "coverage",
      columns: seriesColumns
        + ", guard UInt32, runs UInt64, hosts UInt64, first_seen Float64, last_seen Float64",
      order: series + ", guard", shard: "intHash64(guard)",
      sums: (
        series + ", guard, sum(runs), sum(hosts), min(first_seen), max(last_seen)",
        series + ", guard"
      )),
    Table(
      name: "startup", columns: seriesColumns + ", bucket Int32, starts UInt64",
      order: series + ", bucket", shard: "cityHash64(build_id, day)",
      sums: (series + ", bucket, sum(starts)", series + ", bucket")),
    Table(
      name: "known_trace", columns: "tag UInt64, high UInt64, low UInt64, day Int32",
      order: "low, high", shard: "low", settings: " SETTINGS index_granularity = 256"),
    Table(
      name: "sampled_trace",
      columns: """
        tag UInt64, build_id String, recorder String, family UInt64, high UInt64, low UInt64,
        builds Array(String), version String, labels String, started_at Float64, seconds Float64,
        ready_after Float64, call_image Array(UInt32), call_guard Array(UInt32),
        call_thread Array(UInt32), call_time Array(UInt64), rest String
        """, order: "build_id, recorder, family", shard: "cityHash64(build_id)"),
    Table(
      name: "sample_limit",
      columns: "tag UInt64, build_id String, recorder String, family UInt64",
      order: "build_id, recorder", shard: "cityHash64(build_id)",
      sums: ("build_id, recorder, min(family)", "build_id, recorder")),
  ]

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
      name: "optimised", columns: "tag UInt64, build_id String, recorder String",
      order: "build_id, recorder", shard: "cityHash64(build_id)"),
  ]

  /// Says of a function table that all of it is there: a row for each tag whose `unguarded` and the
  /// others were written, be there any or not. What was registered before has none.
  static let whole: [Table] = [
    Table(
      name: "whole_table", columns: "tag UInt64, build_id String, recorder String",
      order: "build_id, recorder", shard: "cityHash64(build_id)")
  ]

  /// Buckets are those of `StageHistograms`.
  static let stages: [Table] = [
    Table(
      name: "stage", columns: seriesColumns + ", kind String, bucket Int32, starts UInt64",
      order: series + ", kind, bucket", shard: "cityHash64(build_id, day)",
      sums: (series + ", kind, bucket, sum(starts)", series + ", kind, bucket"))
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

  /// The last day on which traces came for a day of a build, by the receiver's clock. Days of batches that
  /// came before there was this table have no row.
  static let arrivals: [Table] = [
    Table(
      name: "arrival",
      columns: "tag UInt64, build_id String, recorder String, day Int32, received Int32",
      order: "build_id, recorder, day", shard: "cityHash64(build_id, day)",
      sums: ("build_id, recorder, day, max(received)", "build_id, recorder, day"))
  ]

  /// What batches add rows to.
  static let evidence = first + stages + arrivals

  /// All whose rows are of one build each; `known_trace` is of none.
  static let ofBuilds =
    (evidence + functions + unwatched + whole + readFailures).filter { $0.name != "known_trace" }

  /// Tables of the first server alone.
  private static let log = [
    """
    CREATE TABLE IF NOT EXISTS committed (
      number UInt64, tag UInt64, level UInt32, replaces Array(UInt64)
    ) ENGINE = MergeTree ORDER BY number
    """,
    "CREATE TABLE IF NOT EXISTS horizon (day Int32) ENGINE = MergeTree ORDER BY day",
  ]

  /// The first day whose traces are known, which can also come down again: the row with the largest number
  /// counts, and none of `horizon`.
  private static let horizons = [
    """
    CREATE TABLE IF NOT EXISTS horizons (number UInt64, day Int32) ENGINE = MergeTree
    ORDER BY number
    """
  ]

  /// What administrators did; `at` is seconds since 1970.
  private static let audit = [
    "CREATE TABLE IF NOT EXISTS audit (at UInt64, what String) ENGINE = MergeTree ORDER BY at"
  ]

  /// What retention removed, also of builds that are gone: the last row of a build counts. `before` is a
  /// day, `at` is seconds since 1970.
  private static let dropped = [
    """
    CREATE TABLE IF NOT EXISTS dropped (
      build_id String, recorder String, program String, before Int32, reason String, at UInt64
    ) ENGINE = ReplacingMergeTree(at) ORDER BY (build_id, recorder)
    """
  ]

  /// The statements of each migration for a server; the first server alone keeps the log.
  static func migrations(cluster: String?, database: String, isFirst: Bool) -> [[String]] {
    func all(_ tables: [Table]) -> [String] {
      tables.flatMap { statements(for: $0, cluster: cluster, database: database) }
    }
    return [
      all(first + functions) + (isFirst ? log : []), all(unwatched), all(whole), all(stages),
      all(readFailures), isFirst ? horizons + audit : [],
      all(arrivals) + (isFirst ? dropped : []),
    ]
  }

  /// The name that a server's own part of a table has.
  static func local(_ table: String, cluster: String?) -> String {
    cluster == nil ? table : table + "_local"
  }

  private static func statements(
    for table: Table, cluster: String?, database: String
  ) -> [String] {
    let local = local(table.name, cluster: cluster)
    let made = """
      CREATE TABLE IF NOT EXISTS \(local) (\(table.columns)
      ) ENGINE = MergeTree PARTITION BY tag ORDER BY (\(table.order))\(table.settings)
      """
    guard let cluster else { return [made] }
    return [
      made,
      """
      CREATE TABLE IF NOT EXISTS \(table.name) AS \(local)
      ENGINE = Distributed('\(cluster)', '\(database)', '\(local)', \(table.shard))
      """,
    ]
  }
}
