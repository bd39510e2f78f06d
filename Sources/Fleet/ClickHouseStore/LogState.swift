/// The log of commits as it was at one moment.
struct LogState: Hashable, Sendable {
  /// The last commit's; 0 if there is none.
  var number: UInt64 = 0
  /// Tags that count, with their level: 0 for batches, more for sums of tags.
  var levels: [UInt64: UInt32] = [:]
  /// The last commit that says that rows were deleted; 0 if there is none.
  var deletion: UInt64 = 0
  /// Of a store with replicas: tags that never count, with the number of the commit that says so. Only of
  /// the last ones.
  var givenUp: [UInt64: UInt64] = [:]
  /// Of a store with replicas: all of them, and whether they have all rows of the live tags.
  var replicas: [Replica: Bool] = [:]

  /// The condition that a row counts.
  var isLive: String { "tag IN \(SQLText.list(levels.keys.sorted()))" }

  /// The shards that replicas are of, in the order in which they are numbered.
  var shards: [String] { Set(replicas.keys.map(\.shard)).sorted() }

  /// The log as it is when a commit has taken the next number.
  func followed(by commit: LogCommit) -> LogState {
    var state = self
    state.number += 1
    if commit.level == LogCommit.deletionLevel {
      state.deletion = state.number
      return state
    }
    for tag in commit.replaces where state.levels.removeValue(forKey: tag) == nil {
      state.givenUp[tag] = state.number
    }
    state.levels[commit.tag] = commit.level
    return state
  }
}

/// What one commit says.
struct LogCommit: Hashable, Sendable {
  var tag: UInt64
  var level: UInt32 = 0
  /// Tags whose rows it replaces by its own.
  var replaces: [UInt64] = []

  /// The level of commits that say that rows were deleted: their tags have no rows. Receivers that do not
  /// know it take them for tags without rows.
  static let deletionLevel: UInt32 = 1000
}

/// A server of a store with replicas.
struct Replica: Hashable, Sendable {
  /// What the server's macros `shard` and `replica` say.
  var shard: String
  var name: String
  /// `HOST:PORT` by which other servers reach it.
  var native: String
}
