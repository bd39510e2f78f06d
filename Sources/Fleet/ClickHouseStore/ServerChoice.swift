/// The servers that one question or one attempt goes to, of a store with replicas.
struct ServerChoice: Sendable {
  /// The store that has chosen.
  var store: ObjectIdentifier
  /// Is asked, and takes commits to the log.
  var coordinator: ClickHouseServer
  /// The log when the choice was made.
  var state: LogState
  /// One of each shard that has a replica which answers and has all rows of the live tags.
  var asked: [(replica: Replica, server: ClickHouseServer)]
  /// All that answer.
  var present: [Replica: ClickHouseServer]

  /// What answers lack; nil: nothing.
  var missing: String? {
    let away = state.shards.filter { shard in !asked.contains { $0.replica.shard == shard } }
    guard !away.isEmpty else { return nil }
    let names = state.replicas.keys.filter { away.contains($0.shard) }.map(\.native).sorted()
    return "incomplete: no complete replica of \(away.count == 1 ? "shard" : "shards") "
      + "\(away.joined(separator: ", ")) answers (\(names.joined(separator: ", "))); "
      + "what only \(away.count == 1 ? "it holds" : "they hold") is missing"
  }

  var log: KeeperCommitLog {
    var log = KeeperCommitLog(server: coordinator, tuning: tuning)
    log.asked = asked.map(\.replica)
    return log
  }

  var tuning: ClickHouseTuning
}
