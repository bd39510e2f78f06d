import FirstlightModel

/// The part of a report that a never-called list shows.
package struct DeadCodeList: Sendable {
  package enum Sorting: String, CaseIterable, Sendable {
    /// Most bytes first.
    case bytes
    case file
    /// By module, then file and line.
    case module
    /// Rarest first.
    case runShare = "run-share"
    /// Functions that can be deleted first, then by the functions that refer to them. The caller sorts the
    /// rows.
    case references
  }

  /// The code that a list covers.
  package enum Scope: Hashable, Sendable {
    case all
    /// The project's own code, without tests and dependencies.
    case own
    /// All code, because no recorded function lies in the project. `folder`: the project's folder, or nil if
    /// unknown.
    case unknown(folder: String?)

    init(of report: DeadCodeReport, _ request: NeverCalledRequest) {
      // Modules and files that the user chose are listed, even those of dependencies.
      let isChosen =
        request.listsDependencies || !request.modules.isEmpty || !request.paths.isEmpty
      guard let ownCode = request.ownCode, !isChosen else {
        self = .all
        return
      }
      self =
        report.functions.contains { $0.origin == .own }
        ? .own : .unknown(folder: ownCode.roots.first)
    }
  }

  package var report: DeadCodeReport
  package let scope: Scope
  /// The rows, sorted: never called, below the threshold, and not called while watched; or all.
  package var rows: FunctionRows
  package var sorting: Sorting
  package var showsAll: Bool
  /// The number of rows in text output; nil: all.
  package var limit: Int?
  /// Whether text output has whole names.
  package var showsFullNames = false
  /// The requested threshold: a share of the runs.
  package var below: Double?
  /// Why a list of what can be deleted is empty; nil for other lists.
  package var emptyReason: String?
  /// The recordings of the program's tests; nil if no profile of tests was given.
  package var tests: Observation?
  /// Functions of tests and of dependencies that the list would have if they were the project's own.
  var foreignCounts: [CodeOrigin: Int] = [:]
  /// Functions without any name. They get rows only if all functions are shown.
  var namelessCount = 0
  /// Never-called functions that are in the baseline. They get no rows.
  var knownCount = 0
  /// Entries of the baseline that no longer belong to a never-called function.
  package var outdated: [String] = []
  /// By identity of a row: when its line was last changed, in seconds since 1970. Nil: the list does
  /// not show ages.
  var changeTimes: [TextBytes: Double]?
  /// Source files that are missing at their recorded path, so they could not be read.
  var missingFiles: [String] = []

  /// What the list is limited to; nil: all code.
  package let change: SourceChange?

  package let isOfFleet: Bool
  package let isOfTests: Bool

  /// - Parameters:
  ///   - request: the request that produced the report.
  ///   - change: limits the list to functions that changed.
  package init(
    _ report: DeadCodeReport, for request: NeverCalledRequest = NeverCalledRequest(),
    change: SourceChange? = nil
  ) {
    self.change = change
    self.report = report
    let (scope, showsAll) = (Scope(of: report, request), request.showsAll)
    self.scope = scope
    self.showsAll = showsAll
    sorting = request.sorting
    (isOfFleet, isOfTests) = (request.isOfFleet, request.isOfTests)
    below = request.below
    rows = FunctionRows(report.functions) { showsAll || Self.isDead($0) || Self.isInWindows($0) }
    if let change { rows.removeAll { !change.contains($0) } }
    if scope == .own, !request.listsForeign {
      for row in rows where !Self.isOwn(row) && (Self.isDead(row) || Self.isInWindows(row)) {
        foreignCounts[row.origin ?? .dependency, default: 0] += 1
      }
      rows.removeAll { !Self.isOwn($0) }
    }
    if !showsAll {
      namelessCount = rows.count { $0.isNameless && Self.isDead($0) }
      rows.removeAll(where: \.isNameless)
    }
    if let baseline = request.baseline {
      let dead = Baseline(of: report).identities
      let known = rows.count
      rows.removeAll { Self.isDead($0) && baseline.identities.contains($0.identity) }
      knownCount = known - rows.count
      outdated = baseline.identities.subtracting(dead).sorted().map(\.text)
    }
    switch sorting {
    case .module, .references: break
    case .bytes:
      rows.sort { ($1.bytes, $0.file ?? "", $0.line) < ($0.bytes, $1.file ?? "", $1.line) }
    case .file:
      rows.sort { ($0.file ?? "", $0.line, $0.name) < ($1.file ?? "", $1.line, $1.name) }
    case .runShare:
      rows.sort { ($0.runShare, $1.bytes, $0.name) < ($1.runShare, $0.bytes, $1.name) }
    }
    if request.minimumBytes > 0 { rows.removeAll { $0.bytes < request.minimumBytes } }
    missingFiles =
      change != nil
      ? []
      : request.missingFiles().filter {
        scope != .own || request.ownCode?.origin(of: $0) == .own
      }
  }

  /// Whether windows alone recorded a function, and saw no call. Such rows are shown apart: a start may have called
  /// the function, and gates do not count it.
  static func isInWindows(_ row: borrowing FunctionReport) -> Bool {
    row.verdict == .notCalledWhileWatched && row.keepReason == nil
  }

  /// The rows in scope that windows alone recorded.
  var inWindows: FunctionRows {
    rows.filtered { Self.isInWindows($0) && isInScope($0) }
  }

  /// Whether a function belongs in a never-called list.
  package static func isDead(_ row: borrowing FunctionReport) -> Bool {
    row.verdict == .neverCalled || row.verdict == .belowThreshold
  }

  /// The rows in text output.
  package var shown: FunctionRows { limit.map(rows.first) ?? rows }

  /// Whether a function is in scope: the project's own code, or code of unknown origin; of a change, what it changed.
  func isInScope(_ row: borrowing FunctionReport) -> Bool {
    isInCode(row) && change?.contains(row) != false
  }

  /// Whether a function is the project's own code, or code of unknown origin, changed or not.
  func isInCode(_ row: borrowing FunctionReport) -> Bool { scope != .own || Self.isOwn(row) }

  private static func isOwn(_ row: borrowing FunctionReport) -> Bool {
    row.origin == nil || row.origin == .own
  }

  /// The sums of the functions in scope.
  package var sums: DeadCodeReport.Sums {
    scope == .own || change != nil ? report.sums(where: isInScope) : report.sums
  }

  /// Bytes of the functions in scope that have a verdict.
  package func bytes(_ verdict: Verdict) -> UInt64 {
    report.functions.indices.reduce(0) { sum, index in
      report.functions[index].verdict == verdict && isInScope(report.functions[index])
        ? sum + report.functions[index].bytes : sum
    }
  }

  /// The rows of functions that are not called. Functions of the baseline are not among them.
  package var dead: FunctionRows { rows.filtered(Self.isDead) }

  /// The rows that gates count: those in scope.
  package var gated: FunctionRows { rows.filtered { Self.isDead($0) && isInScope($0) } }

  /// The rows of functions in scope that tests called, and the program did not.
  package var calledByTestsAlone: FunctionRows {
    rows.filtered { $0.isCalledByTestsAlone && isInScope($0) }
  }

  /// The share of called functions of each module; of a change, among what it changed.
  var coverage: [ModuleCoverage] {
    guard let change else { return report.coverage() }
    return report.coverage { change.contains($0) }
  }

  /// Called functions that have a reason to keep them; of a change, what it changed.
  var staleKeeps: [FunctionReport] {
    change == nil ? report.staleKeeps : report.staleKeeps.filter { isInScope($0) }
  }

  /// The losses of all recordings.
  package var losses: Losses {
    tests.map { report.observation.losses + $0.losses } ?? report.observation.losses
  }

  /// Functions in scope that no run called, but that may have run inside a caller: debug information is
  /// missing. They have no rows and do not count as called.
  var undecided: [FunctionReport] {
    report.select { $0.reason == .noDebugInformation && isInScope($0) }
  }

  /// The number of functions in scope that may have run unseen.
  var unknownCount: Int {
    report.functions.indices.count {
      report.functions[$0].reason.mayHaveRunUnseen && isInScope(report.functions[$0])
    }
  }

  /// Those among them with debug information.
  package var unknown: [FunctionReport] {
    report.select {
      $0.reason.mayHaveRunUnseen && $0.reason != .noDebugInformation && isInScope($0)
    }
  }

  /// Number of functions that gates count: the rows in scope, and functions without any name.
  var gatedCount: Int { gated.count + namelessCount }

  /// The code that deleting the rows would save, grouped by `key`; largest first.
  package func weights(by key: (FunctionReport) -> [String]) -> [Weight] {
    var weights: [TextBytes: Weight] = [:]
    for row in dead {
      for name in key(row) {
        weights[name, default: Weight(name: name)].add(row.bytes)
      }
    }
    return weights.values.sorted { ($1.bytes, $0.name) < ($0.bytes, $1.name) }
  }

  /// Functions and their bytes under one name.
  package struct Weight: Hashable, Sendable, Encodable {
    package var name: String
    package var functions = 0
    package var bytes: UInt64 = 0

    mutating func add(_ bytes: UInt64) {
      functions += 1
      self.bytes += bytes
    }
  }
}
