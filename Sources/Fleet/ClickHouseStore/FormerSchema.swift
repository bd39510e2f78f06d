/// The tables of stores of firstlightd 0.2.0 and before, and how today's come of them.
///
/// A server's own parts of the former tables are renamed first. So a daemon of that version, which may
/// still be running, can add nothing any more: its inserts fail, and it commits nothing. Then each new
/// table is filled under a name of its own and renamed when it is complete: however often that is begun, by
/// however many daemons, one complete copy becomes the table. Rows keep their tags, so what was committed
/// counts, and what was not does not.
enum FormerSchema {
  /// A former store's tables that are no more.
  private static let replaced: [ClickHouseSchema.Table] = {
    let series = "build_id String, recorder String, day Int32, version String, labels String"
    func table(_ name: String, _ columns: String) -> ClickHouseSchema.Table {
      ClickHouseSchema.Table(
        name: name, columns: "tag UInt64, \(columns)", order: "tag", shard: "tag")
    }
    return [
      table(
        "build",
        """
        build_id String, recorder String, program String, path String, executable UInt8,
        guards UInt32
        """),
      table("caller", "build_id String, recorder String, guard UInt32, address UInt64"),
      table(
        "series",
        """
        \(series), runs UInt64, hosts UInt64, program_runs UInt64, processes UInt64,
        microseconds UInt64, drops UInt64, uncommitted UInt64, lost_images UInt64,
        unreadable_segments UInt64
        """),
      table(
        "coverage",
        """
        \(series), guard UInt32, runs UInt64, hosts UInt64, first_seen Float64,
        last_seen Float64
        """),
      table("startup", "\(series), bucket Int32, starts UInt64"),
      table("sample_limit", "build_id String, recorder String, family UInt64"),
      table("arrival", "build_id String, recorder String, day Int32, received Int32"),
    ]
  }()

  /// What a former table is called once nobody writes to it.
  private static func kept(_ name: String) -> String { "former_\(name)" }

  /// The tables to rename, with their names before and after, and the names that led to them on all
  /// shards.
  static func renames(cluster: String?) -> [(from: String, to: String, spread: String?)] {
    replaced.map { table in
      (
        ClickHouseSchema.local(table.name, cluster: cluster), kept(table.name),
        cluster == nil ? nil : table.name
      )
    }
  }

  /// The former tables, empty: older stores lack some.
  static let empty = replaced.map { ClickHouseSchema.make($0, called: kept($0.name)) }

  /// A new table, and the rows of some tags that it takes over: columns, and queries for them.
  struct Copy: Sendable {
    var table: ClickHouseSchema.Table
    var columns: String
    var rows: [@Sendable (_ isOfTags: String) -> String]
  }

  static let copies: [Copy] = [
    Copy(
      table: ClickHouseSchema.seenBuild,
      columns: "tag, build_id, recorder, program, path, executable, guards, family",
      rows: [
        {
          """
          SELECT tag, build_id, recorder, program, path, executable, guards,
            if(lowest = 0, \(SQLText.noLimit), lowest)
          FROM (SELECT * FROM former_build WHERE \($0)) AS a ANY LEFT JOIN (
            SELECT tag, build_id, recorder, min(family) AS lowest FROM former_sample_limit
            WHERE \($0) GROUP BY tag, build_id, recorder
          ) AS b USING (tag, build_id, recorder)
          """
        }
      ]),
    Copy(
      table: ClickHouseSchema.calledFrom, columns: "tag, build, guard, address",
      rows: [
        { "SELECT tag, \(SQLText.build), guard, address FROM former_caller WHERE \($0)" }
      ]),
    Copy(
      table: ClickHouseSchema.sums,
      columns: """
        tag, build_id, recorder, day, version, labels, received, runs, hosts, program_runs,
        processes, microseconds, drops, uncommitted, lost_images, unreadable_segments,
        startup.bucket, startup.starts
        """,
      rows: [
        {
          """
          SELECT tag, build_id, recorder, day, version, labels, latest, runs, hosts, program_runs,
            processes, microseconds, drops, uncommitted, lost_images, unreadable_segments,
            emptyArrayInt32(), emptyArrayUInt64()
          FROM (SELECT * FROM former_series WHERE \($0)) AS a ANY LEFT JOIN (
            SELECT tag, build_id, recorder, day, max(received) AS latest FROM former_arrival
            WHERE \($0) GROUP BY tag, build_id, recorder, day
          ) AS b USING (tag, build_id, recorder, day)
          """
        },
        {
          """
          SELECT tag, build_id, recorder, day, version, labels, toInt32(0), \(zeros),
            groupArray(bucket), groupArray(starts)
          FROM former_startup WHERE \($0)
          GROUP BY tag, build_id, recorder, day, version, labels
          """
        },
      ]),
    Copy(
      table: ClickHouseSchema.called,
      columns: "tag, build, day, label, guard, runs, hosts, first_seen, last_seen",
      rows: [
        {
          """
          SELECT tag, \(SQLText.build), day, \(SQLText.label), guard, runs, hosts, first_seen,
            last_seen
          FROM former_coverage WHERE \($0)
          """
        }
      ]),
  ]

  private static let zeros = Array(repeating: "toUInt64(0)", count: 9).joined(separator: ", ")
}
