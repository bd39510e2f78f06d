import FirstlightModel

/// What counts of all that was ever written: a log of numbered commits.
///
/// Every row of the store carries the tag of the attempt that wrote it, and counts if that tag was
/// committed. One attempt takes number n, and has seen all commits before it. So attempts that broke off,
/// or whose rows land after everybody has given them up, add nothing. How a number is taken depends on
/// the store: see `ServerCommitLog` and `KeeperCommitLog`.
protocol CommitLog: Sendable {
  var name: String { get }
  var tuning: ClickHouseTuning { get }

  /// The log as it is now, or was a moment ago.
  func state() async throws(ClickHouseError) -> LogState

  /// Takes the number behind a state.
  /// - Throws: when it is not known whether it was taken: a new attempt finds out.
  func commit(
    _ commit: LogCommit, after state: LogState
  ) async throws(ClickHouseError) -> CommitOutcome

  /// Forgets old commits that change nothing any more.
  func prune(_ state: LogState) async throws(ClickHouseError)
}

/// What became of a commit.
enum CommitOutcome {
  case committed
  /// Another took the number first.
  case taken
  /// Another has given up the tag, and may have removed its rows: they never count.
  case givenUp
}

extension CommitLog {
  /// Whether so many commits have come since a state that one of them which gave up a tag may have been
  /// forgotten: then the tag is not to be committed any more.
  func isOutdated(_ state: LogState, now: LogState) -> Bool {
    now.number - min(now.number, state.number) > tuning.keptCommits / 2
  }

  /// Notes that rows were deleted: sums that were begun before never count.
  /// - Returns: the state after which this comes.
  func noteDeletion() async throws(ClickHouseError) -> LogState {
    let own = WriteTag(at: tuning.now()).tag
    for _ in 0..<20 {
      let state = try await state()
      let commit = LogCommit(tag: own, level: LogCommit.deletionLevel)
      if try await self.commit(commit, after: state) == .committed { return state }
    }
    throw .failure(Failure(.unavailable, "\(name): changing too fast to delete from"))
  }

  /// Says of tags that were not committed that they never will be: who commits one afterwards is told so.
  /// The tag that says it has no rows, and goes with the next tags that are added up.
  /// - Returns: those of the tags that are given up now.
  func giveUp(_ tags: Set<UInt64>) async throws(ClickHouseError) -> Set<UInt64> {
    let own = WriteTag(at: tuning.now()).tag
    for _ in 0..<20 {
      let state = try await state()
      let abandoned = tags.filter { state.levels[$0] == nil }
      if abandoned.isEmpty { return [] }
      let commit = LogCommit(tag: own, replaces: abandoned.sorted())
      if try await self.commit(commit, after: state) == .committed { return abandoned }
    }
    return []
  }
}
