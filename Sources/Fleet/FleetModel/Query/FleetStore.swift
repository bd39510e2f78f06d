import FirstlightModel
import Synchronization

/// Where a fleet's evidence is kept for good.
///
/// A store has one row for each publisher and key: the one with the highest version. So rows may come
/// twice, late, in any order and through any number of daemons, and answers are the same. All calls fail
/// with `Failure`: of kind `unavailable` if it is worth trying again later, else the store refuses for good.
package protocol FleetStore: Sendable {
  /// What the store is, for people: its kind and where it is, without any secret.
  var name: String { get }

  /// Makes or brings up to date what the store is made of; changes nothing where that is done.
  func prepare() async throws

  /// Keeps the rows that are newer than what it has, and the traces that its samples have room for. When
  /// this returns they are there for good.
  ///
  /// What rows say of a build's guards may differ: those that contradict the truth change no answer. The
  /// truth is what a binary shows that was registered and is trusted, else what most runs say.
  /// - Parameters:
  ///   - published: of any publishers. Those that come together are written together, which costs less;
  ///     the store is the same afterwards as if they had come one after the other.
  ///   - today: by the receiver's clock.
  /// - Returns: a result for each of `published`, in order: a shard may fail while others work.
  func take(
    _ published: [PublishedStates], on today: FleetDay
  ) async -> [Result<StateReceipt, Failure>]

  /// The versions that the store has of a publisher's rows; nil for each row that it does not have. For a row
  /// of a closed day, the requested version.
  func versions(
    of publisher: PublisherID, _ rows: [(key: StateKey, version: UInt64)]
  ) async throws -> [UInt64?]

  /// The first day of which it takes rows.
  func firstOpenDay() async throws -> FleetDay

  /// Closes all days before this one except `FleetDay.undated`: the store takes no more rows of them, and adds
  /// up the rows of each. If other daemons write into the store too, a later call adds a day up, once all of
  /// them know that it is closed. Closed days stay closed. Calling it again, or twice at once, changes nothing.
  /// - Returns: how many days were added up.
  func close(before day: FleetDay) async throws -> Int

  /// The days on which rows of open days came, by the receivers' clocks.
  func receivedDays() async throws -> [FleetDay]

  /// Gives a build its function table; a better one (`Build.isBetter(than:)`) replaces the one it has.
  /// - Parameter isTrusted: whether the file is what it says: then its guards are the build's, whatever
  ///   traces say.
  /// - Throws: `.data` if traces of the build have another number of guards and the file is not trusted, or
  ///   has none.
  func register(_ table: FunctionTable, isTrusted: Bool) async throws

  /// Removes all that it has of a build: sums, functions, sampled traces; and notes that it did. Rows of
  /// days up to today are refused from now on, so what its hosts still hold does not come back.
  /// - Parameter author: who wants it, for the note.
  /// - Returns: false if there is no such build.
  func forget(_ build: BuildKey, by author: String, on today: FleetDay) async throws -> Bool

  /// What retention decides by: see `RetentionRules`.
  /// - Parameter limit: sizes of days and builds are filled in only if the store takes up more than this,
  ///   since that is slow; nil: never.
  func inventory(sizedAbove limit: Int?) async throws -> StoreInventory

  /// Removes what retention has decided on, one after the other; remembers it (`FleetBuild.dropped`,
  /// `droppedBuilds`), and gives the space back. What is done stays done if it is broken off.
  /// - Parameter report: is called for each that removed something.
  func drop(
    _ deletions: [Deletion], report: @Sendable (Deletion, DeletedRows) -> Void
  ) async throws

  /// Of builds that retention has removed and that are not back, the last ones first.
  func droppedBuilds(limit: Int) async throws -> [DroppedEvidence]

  /// Remembers that a reader of a file for a build's functions had to be stopped, at least until the
  /// build gets its function table. Of several of one build and file the one with most attempts counts.
  func note(_ failure: ReadFailure, of build: BuildKey) async throws

  /// What is remembered of a file (`ReadFailure.file`), for whichever build it was read: the failure with
  /// the most attempts. Nil if there is none.
  func readFailure(ofFile file: String) async throws -> ReadFailure?

  /// Builds by program and id; at most `page.limit` of them.
  func builds(_ wanted: BuildFilter, page: Page) async throws -> [FleetBuild]

  /// Nil if the build is unknown or has no table.
  func functionTable(of build: BuildKey) async throws -> FunctionTable?

  /// What was seen of a build's functions; nil if there is no such build.
  func coverage(of build: BuildKey, in wanted: SeriesFilter) async throws -> BuildCoverage?

  /// The build's series with their totals and start-up times, sorted by day and labels.
  func series(of build: BuildKey, in wanted: SeriesFilter) async throws -> [SeriesRecord]

  /// The sampled traces that the build was loaded in; all have `calls`. See `TraceSampleRule`.
  /// - Parameter weight: those of the smallest families, as many as do not weigh more
  ///   (`FleetTrace.answerWeight`); the very first whatever its weight.
  func traces(of build: BuildKey, upTo weight: Int) async throws -> [FleetTrace]

  /// Sums of the store's own: how many of what it holds.
  func size() async throws -> StoreSize
}

extension FleetStore {
  /// Takes what one publisher sends.
  package func take(
    _ published: PublishedStates, on today: FleetDay
  ) async throws -> StateReceipt {
    try await take([published], on: today)[0].get()
  }

  /// Gives a build the function table of a file that is what it says.
  package func register(_ table: FunctionTable) async throws {
    try await register(table, isTrusted: true)
  }

  /// The sampled traces that the build was loaded in, as many as one answer is made of.
  package func traces(of build: BuildKey) async throws -> [FleetTrace] {
    try await traces(of: build, upTo: FleetSelection.traceWeight)
  }
}

extension FleetTrace {
  /// Bytes of memory that stand for one unit of `answerWeight`.
  package static let callBytes = 64

  /// What it adds to an answer: its first calls, and all else that takes memory, in calls.
  package var answerWeight: Int {
    images.reduce(16 + (calls?.count ?? 0)) { sum, image in
      sum + 16 + image.newOnHost.count + image.seen.count * 4
        + image.seen.reduce(0) { $0 + $1.guards.set.places.count }
    }
  }
}

/// What one publisher sends.
package struct PublishedStates: Sendable {
  package var publisher: PublisherID
  package var states: [SeriesState]
  /// All have `calls`.
  package var samples: [FleetTrace]

  package init(publisher: PublisherID, states: [SeriesState], samples: [FleetTrace] = []) {
    self.publisher = publisher
    self.states = states
    self.samples = samples
  }
}

/// Data missing from an answer because a part of the store is unavailable: noted by the store, read by the
/// task that asked.
package final class AnswerGaps: Sendable {
  /// Where the store notes it for the task that asks.
  @TaskLocal package static var current: AnswerGaps?

  /// The header in which a daemon's answers carry the lines, with `; ` between them.
  package static let header = "Firstlight-Incomplete"

  private let noted = Mutex<[String]>([])

  package init() {}

  /// Each once, for people: a line.
  package var lines: [String] { noted.withLock { $0 } }

  package func note(_ line: String) {
    noted.withLock { lines in
      if !lines.contains(line) { lines.append(line) }
    }
  }
}
