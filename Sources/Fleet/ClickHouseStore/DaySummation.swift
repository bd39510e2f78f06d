import FleetModel

/// Adds up the rows of a day into one for each series, as a row of `PublisherID.closedDay`.
enum DaySummation {
  /// The statement that adds up a day. It joins three kinds of rows for each series: totals, start-ups by
  /// bucket, and functions.
  ///
  /// The version is the number of rows that were added. If two daemons add up at once, and one finds rows gone
  /// that the other has dropped, its version is lower and does not count.
  static func statement(_ day: FleetDay) -> String {
    let key = SQLText.stateKey
    let totals = ClickHouseSchema.totals
    let zeros = totals.map { $0 == "microseconds" ? "toFloat64(0)" : "toUInt64(0)" }
    let nothing = "toDate('1970-01-01') AS got, '' AS file, '' AS place, toUInt8(0) AS isExecutable"
    let noTotals = zip(totals, zeros).map { "\($1) AS s_\($0)" }.joined(separator: ", ")
    let noStarts = """
      emptyArrayString() AS stages, emptyArrayInt32() AS buckets, emptyArrayUInt64() AS starts
      """
    let noFunctions = """
      emptyArrayUInt32() AS guards_, emptyArrayUInt64() AS runs_, emptyArrayUInt64() AS hosts_,
        emptyArrayUInt8() AS first_, emptyArrayUInt8() AS last_
      """
    let columns = ["program", "path", "executable"]
    let starts = ["stage", "bucket", "starts"].map { "start.\($0)" }
    let called = ["guard", "runs", "hosts", "first", "last"].map { "called.\($0)" }
    func published(_ columns: [String]) -> String {
      ClickHouseFleetStore.published(columns, of: day)
    }
    let arrays = ["stages", "buckets", "starts", "guards_", "runs_", "hosts_", "first_", "last_"]
    let closed = SQLText.quoted(PublisherID.closedDay.description)
    return """
      INSERT INTO closed (\(key), publisher, row_version, received, program, path, executable,
        functions, \(totals.joined(separator: ", ")), \((starts + called).joined(separator: ", ")))
      SELECT \(key), \(closed), sum(added), max(got), max(file), max(place), max(isExecutable),
        toUInt32(length(groupArrayArray(guards_))),
        \(totals.map { "sum(s_\($0))" }.joined(separator: ", ")),
        \(arrays.map { "groupArrayArray(\($0))" }.joined(separator: ", "))
      FROM (
        SELECT \(key), count() AS added, max(received) AS got, min(program) AS file,
          min(path) AS place, max(executable) AS isExecutable,
          \(totals.map { "sum(\($0)) AS s_\($0)" }.joined(separator: ", ")),
          \(noStarts), \(noFunctions)
        FROM \(published(columns + totals)) GROUP BY \(key)
        UNION ALL
        SELECT \(key), sum(n) AS added, \(nothing), \(noTotals), groupArray(a) AS stages,
          groupArray(b) AS buckets, groupArray(c) AS starts, \(noFunctions)
        FROM (
          SELECT \(key), count() AS n, start.stage AS a, start.bucket AS b, sum(start.starts) AS c
          FROM \(published(starts)) ARRAY JOIN start GROUP BY \(key), a, b
        ) GROUP BY \(key)
        UNION ALL
        SELECT \(key), sum(n) AS added, \(nothing), \(noTotals), \(noStarts),
          groupArray(a) AS guards_, groupArray(b) AS runs_, groupArray(c) AS hosts_,
          groupArray(d) AS first_, groupArray(e) AS last_
        FROM (
          SELECT \(key), count() AS n, called.guard AS a, sum(called.runs) AS b,
            sum(called.hosts) AS c, min(called.first) AS d, max(called.last) AS e
          FROM \(published(called)) ARRAY JOIN called GROUP BY \(key), a ORDER BY \(key), a
        ) GROUP BY \(key)
      ) GROUP BY \(key)
      \(ClickHouseFleetStore.fewRows)
      """
  }
}
