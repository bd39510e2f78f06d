import FirstlightModel
import FleetModel

/// The state of a server of a cluster, as the server reports it.
struct ServerLook: Sendable {
  /// The servers of each shard by its number, as they call one another.
  var names: [Int: [String]] = [:]
  /// The number of the server's own shard; nil if its cluster does not list it.
  var shard: Int?
  /// Its macro `shard`, a part of the paths of its tables in ZooKeeper.
  var macro = ""
  /// Seconds for which it lacks rows that other replicas have.
  var delay = 0
  /// Whether it is cut off from ZooKeeper: then it takes no rows and gets none from other replicas.
  var isReadOnly = false
}

extension ClickHouseServer {
  /// Seconds that a server has to report its state.
  private static let lookTimeout: Int64 = 3

  func look() async throws(Failure) -> ServerLook {
    var quick = self
    quick.timeout = Self.lookTimeout
    let isOurs = "database = \(SQLText.quoted(address.database))"
    let rows = try await quick.read(
      """
      SELECT 'server' AS what, concat(host_name, ':', toString(port)) AS text,
        toUInt64(shard_num) AS number, toUInt64(is_local) AS more
      FROM system.clusters WHERE cluster = \(SQLText.quoted(address.cluster ?? ""))
      UNION ALL
      SELECT 'replica' AS what, '' AS text, toUInt64(max(absolute_delay)) AS number,
        toUInt64(max(is_readonly)) AS more FROM system.replicas WHERE \(isOurs)
      UNION ALL
      SELECT 'macro' AS what, substitution AS text, toUInt64(0) AS number, toUInt64(0) AS more
      FROM system.macros WHERE macro = 'shard'
      """, inDatabase: false
    ) { row throws(Failure) in
      (
        what: try row.text(), text: try row.text(), number: try row.number(UInt64.self),
        more: try row.number(UInt64.self)
      )
    }
    var look = ServerLook()
    for row in rows {
      switch row.what {
      case "server":
        look.names[row.number, default: []].append(row.text)
        if row.more > 0 { look.shard = row.number }
      case "replica": (look.delay, look.isReadOnly) = (row.number, row.more > 0)
      default: look.macro = row.text
      }
    }
    return look
  }
}
