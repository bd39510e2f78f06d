import FirstlightModel
import Synchronization

/// The permanent store of a fleet's evidence.
///
/// A store has one row for each publisher and key: the one with the highest version. So rows may
/// arrive twice, late, in any order and through any number of daemons, and answers stay the same.
/// All calls fail with `Failure`: of kind `unavailable` if a retry may succeed, else permanently.
package protocol FleetStore: Sendable {
  /// The store's kind and place for display, without any secret.
  var name: String { get }

  /// Creates or updates the store's tables; changes nothing if they are current.
  func prepare() async throws

  /// Stores the rows that are newer than its own (`RowVersion.relation`), and the traces that fit its samples. All are
  /// stored durably when this call returns. Of rows and traces of a build that claim different numbers of guards, it
  /// stores those of the first `TraceLimits.claims` numbers, and of that of the function table.
  ///
  /// Rows may contradict each other about a build's guards; those that contradict the truth change no
  /// answer. The truth is the guard count of the function table with most proof, if that is more than
  /// `TableProof.found`, else that of most runs.
  /// - Parameters:
  ///   - published: states of any publishers. Writing several together costs less than writing each
  ///     alone, with the same result.
  ///   - today: the day of the receiver's clock.
  /// - Returns: a result for each of `published`, in order: a shard may fail while others work.
  func take(
    _ published: [PublishedStates], on today: FleetDay
  ) async -> [Result<StateReceipt, Failure>]

  /// The stored versions of a publisher's rows; nil for each missing row. For a row of a closed day, and for a
  /// removed one, the requested version.
  func versions(
    of publisher: PublisherID, _ rows: [(key: StateKey, version: RowVersion)]
  ) async throws -> [RowVersion?]

  /// The first day whose rows the store accepts.
  func firstOpenDay() async throws -> FleetDay

  /// Checks that there is room for more data, as far as this process can see.
  /// - Throws: `.unavailable`.
  func checkSpace() throws(Failure)

  /// Closes all days before this one except `FleetDay.undated`: the store accepts no more rows of them, and
  /// adds up the rows of each. If other daemons write to the store too, a later call adds a day up, after all
  /// of them know that it is closed. Closed days stay closed. Repeated or concurrent calls change nothing.
  /// - Returns: the number of days that were added up.
  func close(before day: FleetDay) async throws -> Int

  /// The days on which rows of open days arrived, by the receivers' clocks.
  func receivedDays() async throws -> [FleetDay]

  /// Stores a build's function table, if `TableDecision` says so. The first contradiction of a build stays
  /// (`FleetBuild.contradiction`). With more proof than `found`, the table's guards count as the build's, whatever
  /// traces claim.
  /// - Returns: the contradiction, if the table replaced another one in spite of it.
  /// - Throws: `.data` if the table contradicts one with as much proof; or if the build's traces have another number
  ///   of guards, and the table was only found or has no guards.
  @discardableResult
  func register(_ table: FunctionTable, proof: TableProof) async throws -> String?

  /// Removes all data of a build: sums, functions, sampled traces; and records the removal. From now on the
  /// store refuses the build's rows of days up to today, so that data still on its hosts does not come back.
  /// - Parameter author: the user who requests it, for the record.
  /// - Returns: false if there is no such build.
  func forget(_ build: BuildKey, by author: String, on today: FleetDay) async throws -> Bool

  /// The input of retention: see `RetentionRules`.
  /// - Parameter limit: store size above which the slow sizes of days and builds are measured; nil:
  ///   never.
  func inventory(sizedAbove limit: Int?) async throws -> StoreInventory

  /// Removes the data that retention selected, one deletion after the other; records it (`FleetBuild.dropped`,
  /// `droppedBuilds`) and frees the space. An interruption keeps the deletions done so far.
  /// - Parameter report: called for each deletion that removed data.
  func drop(
    _ deletions: [Deletion], report: @Sendable (Deletion, DeletedRows) -> Void
  ) async throws

  /// Builds that retention removed and that have not come back, the last ones first.
  func droppedBuilds(limit: Int) async throws -> [DroppedEvidence]

  /// Records that a reader of a build's file had to be stopped, at least until the build has a function
  /// table. Of several failures for one build and file, the one with the most attempts counts.
  func note(_ failure: ReadFailure, of build: BuildKey) async throws

  /// The recorded failure of a file (`ReadFailure.file`) with the most attempts, for any build. Nil
  /// if there is none.
  func readFailure(ofFile file: String) async throws -> ReadFailure?

  /// Builds sorted by program and id, at most `page.limit`.
  func builds(_ wanted: FleetQuery, page: Page) async throws -> [FleetBuild]

  /// Builds without function names, sorted by id and recorder.
  /// - Parameters:
  ///   - builds: nil: all.
  ///   - after: only builds behind this one; nil: all.
  func unnamed(
    among builds: Set<BuildKey>?, after: BuildKey?, limit: Int
  ) async throws -> [UnnamedBuild]

  /// Nil if the build is unknown or has no table.
  func functionTable(of build: BuildKey) async throws -> FunctionTable?

  /// The coverage of a build's functions; nil if there is no such build.
  func coverage(of build: BuildKey, in wanted: FleetQuery) async throws -> BuildCoverage?

  /// The build's series with their totals and start-up times, sorted by day and labels.
  func series(of build: BuildKey, in wanted: FleetQuery) async throws -> [SeriesRecord]

  /// The sampled traces that loaded the build. See `TraceSampleRule`.
  /// - Parameter weight: maximum total weight (`FleetTrace.answerWeight`). The smallest families
  ///   come first, and the very first is included whatever its weight.
  func traces(of build: BuildKey, upTo weight: Int) async throws -> [FleetTrace]

  /// Sizes of the store's contents.
  func size() async throws -> StoreSize
}

extension FleetStore {
  package func checkSpace() throws(Failure) {}

  /// The days on which the build has as many sets of labels as it may; see `SeriesRoom`.
  package func crowdedDays(of build: BuildKey) async throws -> [FleetDay] {
    Dictionary(grouping: try await series(of: build, in: FleetQuery()), by: \.day)
      .filter { $0.value.count >= SeriesRoom.limit }.keys.sorted()
  }

  /// Stores the states of one publisher.
  package func take(
    _ published: PublishedStates, on today: FleetDay
  ) async throws -> StateReceipt {
    try await take([published], on: today)[0].get()
  }

  /// The sampled traces that loaded the build, as many as fit one answer.
  package func traces(of build: BuildKey) async throws -> [FleetTrace] {
    try await traces(of: build, upTo: AnswerLimits.traceWeight)
  }
}

/// The data that one publisher sends.
package struct PublishedStates: Sendable {
  package var publisher: PublisherID
  package var states: [SeriesState]
  package var samples: [FleetTrace]

  package init(publisher: PublisherID, states: [SeriesState], samples: [FleetTrace] = []) {
    self.publisher = publisher
    self.states = states
    self.samples = samples
  }
}

/// Data missing from an answer because a part of the store is unavailable: recorded by the store,
/// read by the task that queries it.
package final class AnswerGaps: Sendable {
  /// The gaps of the current task's query.
  @TaskLocal package static var current: AnswerGaps?

  /// The HTTP header for the lines in a daemon's answers, joined by `; `.
  package static let header = "Firstlight-Incomplete"

  private let noted = Mutex<[String]>([])

  package init() {}

  /// Lines for display, without duplicates.
  package var lines: [String] { noted.withLock { $0 } }

  package func note(_ line: String) {
    noted.withLock { lines in
      if !lines.contains(line) { lines.append(line) }
    }
  }
}
