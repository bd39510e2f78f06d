import FirstlightModel
import FleetModel

/// The tables of a fleet's ClickHouse store. Documentation/ClickHouse.md explains them.
///
/// In a cluster, each table is a `Distributed` one over the servers' tables `local_...`. The SQL works in
/// ClickHouse 18.16 and in current versions.
struct ClickHouseSchema: Sendable {
  struct Table: Sendable {
    var name: String
    var columns: String
    var order: String
    /// Among rows with equal `order`, the one with the highest value stays; nil if they are identical.
    var version: String?
    var partition: String?
    /// Rows that are read together: few for long rows.
    var granularity = 8192
    /// The column that selects a row's shard.
    var shard = "build_id"
  }

  /// The number of this schema in `migration`.
  static let version = 16

  private let address: ClickHouseAddress

  init(_ address: ClickHouseAddress) { self.address = address }

  /// The name of a server's own part of a table.
  func local(_ table: String) -> String { address.cluster == nil ? table : "local_\(table)" }

  /// The columns of a claim about a build: see `StateKey`.
  private static let claim = "build_id String, recorder String, guards UInt32"
  private static let claimKey = "build_id, recorder, guards"

  /// `microseconds` is an integer, so that sums do not depend on the order.
  static let totals = SeriesTotals.counts.map(\.column) + ["microseconds"]
  /// Each element of `name` is a name of the file. Each element of `start` is a bucket of start-up times; with an
  /// empty `stage`, of the whole start-up.
  static let names = ["name.program", "name.path", "name.runs"]
  static let starts = ["start.stage", "start.bucket", "start.starts"]
  /// Only the called functions; `first` and `last` are hours of the day, and `caller` is 0 if there is none.
  static let called = [
    "called.guard", "called.runs", "called.hosts", "called.first", "called.last", "called.caller",
  ]

  /// A row for each state. `functions` is the number of called functions; `unseen` has the bounds of
  /// `UnseenFunctions`.
  private static let sums = Table(
    name: "sums",
    columns: """
      \(claim), day Date, version String, labels String, publisher String, row_version UInt64,
      received Date, executable UInt8, functions UInt32,
      \(totals.map { "\($0) \($0 == "microseconds" ? "Float64" : "UInt64")" }.joined(separator: ", ")),
      name Nested(program String, path String, runs UInt64),
      start Nested(stage String, bucket Int32, starts UInt64),
      called Nested(guard UInt32, runs UInt64, hosts UInt64, first UInt8, last UInt8, caller UInt64),
      unseen Array(UInt32)
      """, order: "\(claimKey), day, version, labels, publisher", version: "row_version",
    partition: "day", granularity: 64, shard: "publisher")

  static let tables = [
    sums,
    // The sums of all publishers for closed days, as rows of `PublisherID.closedDay`. Partitioned by
    // months: a year of days would need hundreds of files for each column.
    Table(
      name: "closed", columns: sums.columns, order: sums.order, version: "row_version",
      partition: "toYYYYMM(day)", granularity: 64),
    // Sampled traces by program. `builds` has a text for each loaded build (see `Claim.text`), `names`
    // their file names.
    Table(
      name: "samples",
      columns: """
        \(claim), family UInt64, publisher String, high UInt64, low UInt64, day Date, received Date,
        weight UInt64, builds Array(String), names Array(String), trace String
        """, order: "\(claimKey), family, publisher, high, low", granularity: 64,
      shard: "publisher"),
    // Registered function tables; their bytes are in `function_bytes` under the digest. `proof` is a number
    // of `TableProof`.
    Table(
      name: "function_table",
      columns: """
        \(claim), digest UInt64, proof UInt8, at UInt64, path String, executable UInt8, parts UInt32,
        bytes UInt64
        """, order: "\(claimKey), digest, proof", version: "at"),
    Table(
      name: "function_bytes", columns: "\(claim), digest UInt64, part UInt32, bytes String",
      order: "\(claimKey), digest, part", granularity: 64),
    // Files whose readers had to be stopped.
    Table(
      name: "read_failure",
      columns: """
        build_id String, recorder String, file String, reason String, attempts UInt32, at Float64
        """, order: "build_id, recorder, file", version: "attempts"),
    // Files that contradicted a build's function table; the first one of each build counts.
    Table(
      name: "contradiction",
      columns: "build_id String, recorder String, reason String, at UInt64",
      order: "build_id, recorder, at"),
    // Removals: rows of days before `before` that arrived before it. Each server has all of them.
    Table(
      name: "dropped",
      columns: """
        build_id String, recorder String, program String, before Date, reason String, at UInt64
        """, order: "build_id, recorder", version: "before"),
    // Actions of administrators and retention; `at` is seconds since 1970.
    Table(name: "audit", columns: "at UInt64, what String", order: "at, what", shard: "what"),
  ]

  static let migration = """
    CREATE TABLE IF NOT EXISTS migration (number UInt32) ENGINE = MergeTree ORDER BY number
    """

  /// The statements that create the other tables on a server. Repeating one is harmless.
  ///
  /// `days` is of this server alone: rows of days before `open` are refused, and days before `summed` are
  /// read from `closed`. The latest of each counts; `at` is when the server learnt it.
  var statements: [String] {
    Self.tables.flatMap { table in
      [make(table)] + (address.cluster.map { [distribute(table, over: $0)] } ?? [])
    } + [
      """
      CREATE TABLE IF NOT EXISTS days (open Date, summed Date, at DateTime DEFAULT now())
      ENGINE = MergeTree ORDER BY open
      """
    ]
  }

  private func make(_ table: Table) -> String {
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
      CREATE TABLE IF NOT EXISTS \(local(table.name)) (\(table.columns)
      ) ENGINE = \(engine)(\(arguments.joined(separator: ", ")))\(partition)
      ORDER BY (\(table.order)) SETTINGS index_granularity = \(table.granularity)
      """
  }

  private func distribute(_ table: Table, over cluster: String) -> String {
    """
    CREATE TABLE IF NOT EXISTS \(table.name) AS \(local(table.name)) ENGINE = Distributed(
      \(cluster), \(address.database), \(local(table.name)), cityHash64(\(table.shard)))
    """
  }

  /// The condition that a day is open, or undated, if the days before this one are added up.
  static func isNotBefore(_ day: FleetDay) -> String {
    "day >= \(SQLText.day(day)) OR day = \(SQLText.day(.undated))"
  }
}
