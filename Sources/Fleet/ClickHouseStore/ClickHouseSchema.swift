import FleetModel

/// The tables of a fleet's ClickHouse store. Documentation/ClickHouse.md explains them.
///
/// Each shard has all tables and is an independent store; answers add the shards up. The SQL works
/// in ClickHouse 18.16 and in current versions.
enum ClickHouseSchema {
  struct Table: Sendable {
    var name: String
    var columns: String
    var order: String
    /// Among rows with equal `order`, the one with the highest value stays; nil if they are identical.
    var version: String?
    var partition: String?
    /// Rows that are read together: few for long rows.
    var granularity = 8192
  }

  /// The number of the current schema in `migration`. Versions up to 10 had other tables.
  static let version = 12

  /// `migration` has the columns of earlier stores, so that their daemons refuse this one.
  static let migration = """
    CREATE TABLE IF NOT EXISTS migration (number UInt32, keeps_log UInt8) ENGINE = MergeTree
    ORDER BY number
    """

  /// The columns of a claim about a build: see `StateKey`.
  private static let claim = "build_id String, recorder String, guards UInt32"
  private static let claimKey = "build_id, recorder, guards"

  static let totals = [
    "runs", "hosts", "program_runs", "processes", "microseconds", "drops", "uncommitted",
    "lost_images", "unreadable_segments",
  ]

  /// A row for each state. `called` lists only the called functions, `functions` is their number;
  /// `first` and `last` are hours of the day. `unwatched` is that of `SeriesState`. Each element of `start` is a
  /// bucket of start-up times; with an empty `stage`, of the whole start-up. Each element of `name` is a name of
  /// the file.
  static let sums = Table(
    name: "sums",
    columns: """
      \(claim), day Date, version String, labels String, publisher String, row_version UInt64,
      received Date, executable UInt8, functions UInt32,
      \(totals.map { "\($0) \($0 == "microseconds" ? "Float64" : "UInt64")" }.joined(separator: ", ")),
      name Nested(program String, path String, runs UInt64),
      start Nested(stage String, bucket Int32, starts UInt64),
      called Nested(guard UInt32, runs UInt64, hosts UInt64, first UInt8, last UInt8),
      unwatched Array(UInt32)
      """, order: "\(claimKey), day, version, labels, publisher", version: "row_version",
    partition: "day", granularity: 64)

  /// The sums of all publishers for closed days, as rows of `PublisherID.closedDay`. A day's sums
  /// count once `closedDays` contains the day; its rows in `sums` then do not.
  ///
  /// A separate table, partitioned by months: a year of days would need hundreds of files for each column.
  static let closed = Table(
    name: "closed", columns: sums.columns, order: sums.order, version: "row_version",
    partition: "toYYYYMM(day)", granularity: 64)

  static let closedDays = Table(name: "closed_days", columns: "day Date", order: "day")

  /// Callers of functions' first calls.
  static let callers = Table(
    name: "callers", columns: "\(claim), guard UInt32, address UInt64",
    order: "\(claimKey), guard, address")

  /// Sampled traces by program. `builds` has a text for each loaded build (see `Claim.text`),
  /// `names` their file names.
  static let samples = Table(
    name: "samples",
    columns: """
      \(claim), family UInt64, publisher String, high UInt64, low UInt64, day Date, received Date,
      weight UInt64, builds Array(String), names Array(String), trace String
      """, order: "\(claimKey), family, publisher, high, low", granularity: 64)

  /// Registered function tables; their bytes are in `function_bytes` under the digest. `proof` is a number of
  /// `TableProof`.
  static let functionTables = Table(
    name: "function_table",
    columns: """
      \(claim), digest UInt64, proof UInt8, at UInt64, path String,
      executable UInt8, parts UInt32, bytes UInt64
      """, order: "\(claimKey), digest, proof", version: "at")

  static let functionBytes = Table(
    name: "function_bytes", columns: "\(claim), digest UInt64, part UInt32, bytes String",
    order: "\(claimKey), digest, part", granularity: 64)

  /// Files whose readers had to be stopped.
  static let readFailures = Table(
    name: "read_failure",
    columns: """
      build_id String, recorder String, file String, reason String, attempts UInt32, at Float64
      """, order: "build_id, recorder, file", version: "attempts")

  /// Files that contradicted a build's function table; the first one of each build counts.
  static let contradictions = Table(
    name: "contradiction",
    columns: "build_id String, recorder String, reason String, at UInt64",
    order: "build_id, recorder, at")

  /// Removals: rows of days before `before` that arrived before it.
  static let dropped = Table(
    name: "dropped",
    columns: """
      build_id String, recorder String, program String, before Date, reason String, at UInt64
      """, order: "build_id, recorder", version: "before")

  /// Actions of administrators and retention; `at` is seconds since 1970.
  static let audit = Table(name: "audit", columns: "at UInt64, what String", order: "at, what")

  static let replicated = [
    sums, closed, closedDays, callers, samples, functionTables, functionBytes, readFailures,
    contradictions, dropped, audit,
  ]

  /// The open days of this server: those from the latest `day` on; `at` is when the server learnt
  /// it. Not replicated, since each replica records it for itself.
  static let openDays = """
    CREATE TABLE IF NOT EXISTS open_days (day Date, at DateTime DEFAULT now()) ENGINE = MergeTree
    ORDER BY day
    """

  /// The statements that create everything on a server. Repeating one is harmless.
  static func statements(for address: ClickHouseAddress) -> [String] {
    replicated.map { make($0, on: address) } + [openDays]
  }

  private static func make(_ table: Table, on address: ClickHouseAddress) -> String {
    var arguments: [String] = []
    if address.isReplicated {
      // Each shard's part of a table has its own path in ZooKeeper.
      let path = "/firstlight/\(address.cluster ?? "")/\(address.database)/\(table.name)/{shard}"
      arguments += [SQLText.quoted(path), SQLText.quoted("{replica}")]
    }
    let engine = arguments.isEmpty ? "ReplacingMergeTree" : "ReplicatedReplacingMergeTree"
    if let version = table.version { arguments.append(version) }
    let partition = table.partition.map { " PARTITION BY \($0)" } ?? ""
    return """
      CREATE TABLE IF NOT EXISTS \(table.name) (\(table.columns)
      ) ENGINE = \(engine)(\(arguments.joined(separator: ", ")))\(partition)
      ORDER BY (\(table.order)) SETTINGS index_granularity = \(table.granularity)
      """
  }
}
