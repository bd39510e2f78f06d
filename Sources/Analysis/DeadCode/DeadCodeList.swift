import FirstlightModel

/// What a never-called list shows of a report.
package struct DeadCodeList: Sendable {
  package enum Sorting: String, CaseIterable, Sendable {
    /// Most bytes first.
    case bytes
    case file
    /// By module, then file and line.
    case module
    /// Rarest first.
    case runShare = "run-share"
    /// What can be deleted first, then by what refers to them; the caller sorts the rows.
    case references
  }

  /// Whose code a list is about.
  package enum Scope: Hashable, Sendable {
    case all
    /// What lies in the project, without tests and dependencies.
    case own
    /// All, as nothing recorded lies in the project's folder; nil: none is known, and no pattern fits.
    case unknown(folder: String?)

    init(of report: DeadCodeReport, _ request: NeverCalledRequest) {
      // Modules and files that were chosen are listed, whosever they are.
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
  /// The rows, sorted: never called and below the threshold, or all.
  package var rows: FunctionRows
  package var sorting: Sorting
  package var showsAll: Bool
  /// How many rows text shows; nil: all.
  package var limit: Int?
  /// Whether text shows whole names.
  package var showsFullNames = false
  /// Share of the runs that was asked for.
  package var below: Double?
  /// Functions of tests and of dependencies that would be listed if they were one's own.
  package var foreignCounts: [CodeOrigin: Int] = [:]
  /// Functions that would be listed if anything named them; they are no rows, unless all are shown.
  package var namelessCount = 0
  /// Never-called functions that a baseline knows; they are no rows.
  package var knownCount = 0
  /// Entries of the baseline that are never called no more.
  package var outdated: [String] = []
  /// Source files that are not where they were recorded: what is in them could not be read.
  package var missingFiles: [String] = []

  /// - Parameter request: the one that the report is of.
  package init(_ report: DeadCodeReport, for request: NeverCalledRequest = NeverCalledRequest()) {
    self.report = report
    let (scope, showsAll) = (Scope(of: report, request), request.showsAll)
    self.scope = scope
    self.showsAll = showsAll
    sorting = request.sorting
    below = request.below
    rows = FunctionRows(report.functions) { showsAll || Self.isDead($0) }
    if scope == .own, !request.listsForeign {
      for row in rows where !Self.isOwn(row) && Self.isDead(row) {
        foreignCounts[row.origin ?? .dependency, default: 0] += 1
      }
      rows.removeAll { !Self.isOwn($0) }
    }
    if !showsAll {
      let named = rows.filtered { !$0.isNameless }
      namelessCount = rows.count - named.count
      rows = named
    }
    if let baseline = request.baseline {
      let dead = Baseline(of: report).identities
      let known = rows.count
      rows.removeAll { Self.isDead($0) && baseline.identities.contains($0.identity) }
      knownCount = known - rows.count
      outdated = baseline.identities.subtracting(dead).sorted()
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
    missingFiles = request.missingFiles().filter {
      scope != .own || request.ownCode?.origin(of: $0) == .own
    }
  }

  /// Whether a list is about functions of this verdict.
  package static func isDead(_ row: borrowing FunctionReport) -> Bool {
    row.verdict == .neverCalled || row.verdict == .belowThreshold
  }

  /// The rows that text shows.
  package var shown: FunctionRows { limit.map(rows.first) ?? rows }

  /// Whether a function is in scope: its own code, or code of unknown origin.
  package func isInScope(_ row: borrowing FunctionReport) -> Bool {
    scope != .own || Self.isOwn(row)
  }

  private static func isOwn(_ row: borrowing FunctionReport) -> Bool {
    row.origin == nil || row.origin == .own
  }

  /// The sums of what is in scope.
  package var sums: DeadCodeReport.Sums {
    scope == .own ? report.sums(where: isInScope) : report.sums
  }

  /// Bytes of the functions in scope that have a verdict.
  package func bytes(_ verdict: Verdict) -> UInt64 {
    report.functions.indices.reduce(0) { sum, index in
      report.functions[index].verdict == verdict && isInScope(report.functions[index])
        ? sum + report.functions[index].bytes : sum
    }
  }

  /// The rows that are not called: without those a baseline knows.
  package var dead: FunctionRows { rows.filtered(Self.isDead) }

  /// What gates count: the rows that are in scope.
  package var gated: FunctionRows { rows.filtered { Self.isDead($0) && isInScope($0) } }

  /// Functions in scope that no run called, and that may have run inside a caller, for lack of debug
  /// information: neither rows nor called.
  package var undecided: [FunctionReport] {
    report.select { $0.reason == .noDebugInformation && isInScope($0) }
  }

  /// How many functions gates count: the rows in scope, and those that nothing names.
  package var gatedCount: Int { gated.count + namelessCount }

  /// What deleting the rows would save in code, by what they belong to; largest first.
  package func weights(by key: (FunctionReport) -> [String]) -> [Weight] {
    var weights: [String: Weight] = [:]
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
