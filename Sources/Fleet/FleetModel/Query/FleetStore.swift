import FirstlightModel

/// Where a fleet's evidence is kept for good.
///
/// Every sum in it is one that traces add to, in any order; a trace that comes again changes nothing.
/// Several daemons may write into one store. All calls fail with `Failure`: of kind `unavailable` if
/// it is worth trying again later, else the store refuses for good.
package protocol FleetStore: Sendable {
  /// What the store is, for people: its kind and where it is, without any secret.
  var name: String { get }

  /// Makes or brings up to date what the store is made of; changes nothing where that is done.
  func prepare() async throws

  /// Adds the traces that it does not have yet. When this returns they are there for good.
  ///
  /// What traces say of a build's guards may differ: those that contradict the truth change no answer, and
  /// hold up no other trace. The truth is what a binary shows that was registered and is trusted, else what
  /// most say.
  /// - Parameter day: today, by which the store remembers which traces it has.
  func ingest(_ traces: [FleetTrace], on day: FleetDay) async throws -> IngestReceipt

  /// Whether batches that are added at the same time are written together, so that it is worth while to add
  /// several at once.
  var joinsBatches: Bool { get }

  /// Has events told from now on, to one at a time. Stores with one writer have none.
  func tell(_ report: @escaping @Sendable (StoreEvent) -> Void)

  /// Gives a build its function table; a better one (`Build.isBetter(than:)`) replaces the one it has.
  /// - Parameter isTrusted: whether the file is what it says: then its guards are the build's, whatever
  ///   traces say.
  /// - Throws: `.data` if traces of the build have another number of guards and the file is not trusted, or
  ///   has none.
  func register(_ table: FunctionTable, isTrusted: Bool) async throws

  /// Removes all that it has of a build: sums, functions, sampled traces; and notes that it did. Its traces
  /// stay known, so those that come again do not count.
  /// - Parameter author: who wants it, for the note.
  /// - Returns: false if there is no such build.
  func forget(_ build: BuildKey, by author: String) async throws -> Bool

  /// What retention decides by: see `RetentionRules`.
  /// - Parameter limit: tells what days and builds take up only if the store takes up more than this,
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

  /// Nil if the build is not known or nobody gave it a table.
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

  /// The days under which it remembers traces.
  func traceDays() async throws -> [FleetDay]

  /// Forgets which traces it has that came before a day: so late that none of them can come again.
  /// Sums and samples stay.
  func forgetTraces(before day: FleetDay) async throws
}

extension FleetStore {
  package var joinsBatches: Bool { false }

  package func tell(_ report: @escaping @Sendable (StoreEvent) -> Void) {}

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
  /// What it adds to an answer: its first calls, and all else that takes memory, in calls.
  package var answerWeight: Int {
    images.reduce(16 + (calls?.count ?? 0)) { sum, image in
      sum + 16 + image.newOnHost.count + image.seen.count * 4
        + image.seen.reduce(0) { $0 + $1.guards.set.places.count }
    }
  }
}

/// What became of a batch.
package struct IngestReceipt: Hashable, Sendable {
  /// Traces that were added.
  package var added: Int
  /// Traces that were there already.
  package var known: Int
  /// Traces that cannot be added, with the reason.
  package var refused: [RefusedTrace]
  /// For programs of these traces: calls are wanted only of traces whose `family` is not above this.
  /// It never rises, so an old one does no harm.
  package var sampleLimits: [BuildKey: UInt64]

  package init(
    added: Int = 0, known: Int = 0, refused: [RefusedTrace] = [],
    sampleLimits: [BuildKey: UInt64] = [:]
  ) {
    self.added = added
    self.known = known
    self.refused = refused
    self.sampleLimits = sampleLimits
  }

  /// Adds what became of another part of the batch.
  package mutating func add(_ other: IngestReceipt) {
    added += other.added
    known += other.known
    refused += other.refused
    sampleLimits.merge(other.sampleLimits) { min($0, $1) }
  }
}

/// A trace that a store will never take.
package struct RefusedTrace: Hashable, Sendable {
  package var id: TraceID
  package var reason: String

  package init(id: TraceID, reason: String) {
    self.id = id
    self.reason = reason
  }
}
