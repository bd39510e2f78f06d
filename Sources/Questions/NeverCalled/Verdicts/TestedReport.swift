import FirstlightModel

/// The functions in the recordings of a program and of its tests, joined by name: two builds of the same
/// source.
package struct TestedReport: Sendable {
  /// The program's report. Functions that only the tests' binaries have are `.dropped`.
  package private(set) var report: DeadCodeReport
  private let tests: DeadCodeReport
  /// By function of the report: the function in `tests`.
  private var matches: [Int?]

  /// - Parameter request: the request that produced the reports; selects functions of `tests`.
  /// - Throws: `Failure` of kind `data` if the recordings have no function in common.
  package init(
    _ program: DeadCodeReport, tests: DeadCodeReport, for request: NeverCalledRequest
  ) throws(Failure) {
    report = program
    self.tests = tests
    let joiner = ReportJoiner(tests)
    let known = program.functions.map { joiner.find($0) }
    guard known.contains(where: { $0 != nil }) else {
      throw Failure(
        .data, "the profiles of the program and of its tests have no function in common",
        advice: "name a profile of this program's tests with --tests")
    }
    matches = known
    for (index, match) in known.enumerated() {
      report.functions[index].tests = .unknown
      guard let row = match.map({ tests.functions[$0] }) else { continue }
      report.functions[index].tests = row.verdict.answer ?? .unknown
      // The program may have been built elsewhere; the tests' source is here.
      guard row.origin == .own, report.functions[index].origin != .own else { continue }
      report.functions[index].origin = .own
      (report.functions[index].file, report.functions[index].line) = (row.file, row.line)
    }
    addMissing(ReportJoiner(program), request)
  }

  // MARK: Functions that the program's binaries lack

  private mutating func addMissing(_ joiner: ReportJoiner, _ request: NeverCalledRequest) {
    // A function without a name may be any of the tests' functions.
    guard !report.functions.contains(where: \.isNameless) else { return }
    for (number, row) in tests.functions.enumerated() where Self.isComparable(row) {
      guard !joiner.mayHave(row), request.isWanted(row.module, row.file) else { continue }
      var missing = row
      missing.reason = .notInProgram
      missing.tests = row.verdict.answer ?? .unknown
      (missing.watchedRuns, missing.calledRuns) = (report.observation.runs, 0)
      (missing.firstSeen, missing.lastSeen, missing.bound, missing.bytes) = (0, 0, 0, 0)
      (missing.images, missing.head, missing.unusedSince) = ([], nil, nil)
      missing.pieces = row.pieces.map { piece in
        var piece = piece
        (piece.build, piece.code) = (nil, .dropped)
        return piece
      }
      report.sums.add(missing)
      report.functions.append(missing)
      matches.append(number)
    }
  }

  private static func isComparable(_ row: FunctionReport) -> Bool {
    (row.origin == .own || row.origin == nil) && !row.isMain && row.keepReason == nil
      && (row.verdict == .called || row.verdict == .neverCalled)
  }

  /// Lists functions that the program's binaries lack, too.
  ///
  /// - Parameter isUnneeded: whether nothing in the program's source needs the function, so that no copy of it
  ///   can have run inside a caller.
  package mutating func list(missing isUnneeded: (String) -> Bool) {
    for index in report.functions.indices {
      let row = report.functions[index]
      guard row.reason == .notInProgram, isUnneeded(row.identity) else { continue }
      report.functions[index].reason = .onlyInTests
      report.sums.withoutGuard[.dropped, default: 0] -= 1
      report.sums.functionVerdicts[.dropped, default: 0] -= 1
      report.sums.withoutGuard[.neverCalled, default: 0] += 1
      report.sums.functionVerdicts[.neverCalled, default: 0] += 1
    }
  }

  // MARK: References

  /// The report with the images and pieces that functions have in the tests' builds, and with the tests' own functions
  /// behind the others. Functions that only the tests have count as never called; those that only the program
  /// has are in no image.
  var forReferences: DeadCodeReport {
    var result = report
    for (index, match) in matches.enumerated() {
      if let match {
        if report.functions[index].reason == .notInProgram {
          result.functions[index].reason = .onlyInTests
        }
        result.functions[index].images = tests.functions[match].images
        result.functions[index].pieces = tests.functions[match].pieces
      } else {
        result.functions[index].images = []
        for piece in result.functions[index].pieces.indices {
          result.functions[index].pieces[piece].build = nil
        }
      }
    }
    result.functions += tests.functions.filter { $0.origin == .tests }
    return result
  }
}

/// Finds the functions of another recording in a report.
private struct ReportJoiner {
  private let functions: [FunctionReport]
  private var byIdentity: [TextBytes: Int] = [:]
  /// Functions of C and C++ by name: their source may have been elsewhere.
  private var byName: [TextBytes: [Int]] = [:]

  init(_ report: DeadCodeReport) {
    functions = report.functions
    for (index, row) in functions.enumerated() {
      byIdentity[row.identity] = byIdentity[row.identity] ?? index
      if !row.mangledName.isSwiftSymbol { byName[row.name, default: []].append(index) }
    }
  }

  func find(_ row: FunctionReport) -> Int? {
    if let found = byIdentity[row.identity] { return found }
    let alike = (byName[row.name] ?? []).filter { Self.file(functions[$0]) == Self.file(row) }
    return alike.count == 1 ? alike[0] : nil
  }

  /// Whether the report has the function, or one that may be it.
  func mayHave(_ row: FunctionReport) -> Bool {
    byIdentity[row.identity] != nil
      || !row.mangledName.isSwiftSymbol && byName[row.name] != nil
  }

  private static func file(_ row: FunctionReport) -> Substring? {
    row.file?.split(at: "/").last
  }
}
