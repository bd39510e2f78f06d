import DeadCode
import FirstlightModel
import ReferenceIndex

/// The references to the functions of a report.
package struct FunctionReferences: Sendable {
  /// Facts from the index and the source, beside the report.
  package struct Options {
    /// Modules of library products.
    package var libraryModules: Set<String> = []
    /// Whether a file contains tests.
    package var isTest: (String) -> Bool = { _ in false }
    /// Facts about a source file that no index has; nil if the file does not exist.
    package var marks: (String) -> SourceMarks? = { _ in nil }
    /// Source files of the project that the index lacks: targets that were not built.
    package var unindexed: [String] = []
    /// The marks of an unindexed file.
    package var unindexedMarks: (String) -> SourceMarks? = { _ in nil }
    /// Linker names that the recorded binaries export.
    package var exported: Set<String> = []

    package init() {}
  }

  /// By index of the function in the report; nil for functions that a run may have called.
  package let reports: [ReferenceReport?]
  package let index: ReferenceIndex
  /// By index of the function; nil if it has no symbol of its own, or shares it with a function
  /// that a run may have called.
  private let symbols: [ReferenceIndex.Symbol?]
  /// By index of a local function: the symbol of the function around it.
  private let outer: [Int: ReferenceIndex.Symbol]
  private let numbers: [String: Int]
  private let names: [Int: String]
  private let order: ReferenceOrder
  /// By function: the never-called functions that refer to it.
  private let referrers: [[Int]]
  /// What only tests refer to, and those tests.
  package let testReach: TestReach
  /// By function: the source lines of removable ones.
  private let lineCounts: [Int: Int]

  package init(of report: DeadCodeReport, in index: ReferenceIndex, options: Options) {
    let marks = MarkTable(options.marks)
    let collector = SubjectCollector(index, options, marks)
    let subjects = report.functions.map { collector.subject($0) }
    self.index = index
    symbols = Self.neverCalledSymbols(subjects)
    outer = subjects.enumerated().reduce(into: [:]) { outer, subject in
      if case .local(let symbol) = subject.element.join { outer[subject.offset] = symbol }
    }
    let classifier = ReferenceClassifier(
      subjects, in: index, options: Self.options(options, marks))
    reports = classifier.reports()
    referrers = classifier.referrers.map(\.neverCalled)
    testReach = TestReach(classifier) { marks[$0]?.reachedByName(line: $1) == .test }
    order = ReferenceOrder(
      reports,
      roots: reports.indices.map {
        classifier.clusters.isRemovable($0) ? classifier.clusters.root(of: $0) : nil
      }, referrers: referrers, bytes: subjects.map(\.bytes))
    var numbers: [String: Int] = [:]
    var names: [Int: String] = [:]
    var lineCounts: [Int: Int] = [:]
    for (number, found) in reports.enumerated() {
      guard let found else { continue }
      let function = report.functions[number]
      numbers[function.identity] = number
      names[number] = function.shortName
      if found.isDeletable, let file = function.file {
        lineCounts[number] = marks[file]?.lineCount(ofDeclarationAt: function.line)
      }
    }
    self.numbers = numbers
    self.names = names
    self.lineCounts = lineCounts
  }

  private static func options(
    _ options: Options, _ marks: MarkTable
  ) -> ReferenceClassifier.Options {
    var classifying = ReferenceClassifier.Options()
    classifying.libraryModules = options.libraryModules
    classifying.isTest = options.isTest
    classifying.isDeclaredPublic = { file, line in marks[file]?.isPublic(line: line) ?? false }
    return classifying
  }

  private static func neverCalledSymbols(
    _ subjects: [ReferenceSubject]
  ) -> [ReferenceIndex.Symbol?] {
    var called: Set<ReferenceIndex.Symbol> = []
    for case .symbol(let symbol) in subjects.lazy.filter({ $0.evidence != .neverCalled }).map(
      \.join)
    {
      called.insert(symbol)
    }
    return subjects.map { subject in
      guard case .symbol(let symbol) = subject.join, !called.contains(symbol) else { return nil }
      return symbol
    }
  }

  /// The index symbol of a never-called function; nil if it has none, as for local functions.
  package func symbol(_ identity: String) -> ReferenceIndex.Symbol? {
    numbers[identity].flatMap { symbols[$0] }
  }

  /// The index symbol of the function around a local one; nil for others.
  package func outerSymbol(_ identity: String) -> ReferenceIndex.Symbol? {
    numbers[identity].flatMap { outer[$0] }
  }

  /// The result for a function; nil if a run may have called it.
  package func report(_ identity: String) -> ReferenceReport? {
    numbers[identity].flatMap { reports[$0] }
  }

  /// The short name of a function that a reason names.
  package func name(_ number: Int) -> String { names[number] ?? "" }

  /// Whether only tests, and functions that are removable with them, refer to a function, or nothing at all.
  package func isUnneeded(_ identity: String) -> Bool {
    numbers[identity].map { testReach.isRemovable[$0] } ?? false
  }

  /// The tests that refer to a never-called function, themselves or through other code that never ran or
  /// belongs to tests.
  package func tests(_ identity: String) -> [TestFunction] {
    numbers[identity].map { testReach.tests(of: $0, through: referrers, in: index) } ?? []
  }

  /// The group of a function; nil if a run may have called it.
  package func group(_ identity: String) -> ReferenceGroup? {
    report(identity).map(ReferenceGroup.init)
  }

  /// Sorts a list's rows, if it is sorted by references.
  ///
  /// - Parameter isDeletable: whether to keep only removable functions.
  package func arrange(_ list: inout DeadCodeList, onlyDeletable isDeletable: Bool = false) {
    if list.sorting == .references { list.rows.sort(byRank: order.ranks) }
    if isDeletable { list.rows.removeAll { group($0.identity) != .deletable } }
  }

  /// A function's rank in a list that begins with removable functions; functions that a run may
  /// have called come last.
  package func rank(_ identity: String) -> Int {
    numbers[identity].map { order.ranks[$0] } ?? order.ranks.count
  }

  /// Number of functions between this one and the root of its tree.
  package func depth(_ identity: String) -> Int { numbers[identity].map { order.depths[$0] } ?? 0 }

  /// The source lines of a removable function; nil if unknown.
  package func lineCount(_ identity: String) -> Int? {
    numbers[identity].flatMap { lineCounts[$0] }
  }

  /// The shortest path from a function, through never-called functions that refer to each other, to
  /// one whose verdict does not depend on such functions: indices in the report, the function's own
  /// first. If the function is removable, so is the whole path.
  package func chain(_ identity: String) -> [Int] {
    guard let first = numbers[identity] else { return [] }
    let isRemovable = reports[first]?.reason.isDeletable ?? false
    var previous: [Int: Int] = [first: first]
    var next = [first]
    var place = 0
    while place < next.count {
      let number = next[place]
      place += 1
      if isEnd(number) {
        var way = [number]
        while let last = way.last, last != first, let before = previous[last] { way.append(before) }
        return way.reversed()
      }
      for referrer in referrers[number]
      where previous[referrer] == nil && (reports[referrer]?.reason.isDeletable == isRemovable) {
        previous[referrer] = number
        next.append(referrer)
      }
    }
    return [first]
  }

  /// Whether the verdict depends on something else than never-called functions, or on nothing.
  private func isEnd(_ number: Int) -> Bool {
    switch reports[number]?.reason {
    case .onlyNeverCalled: false
    case .fallsWith(let root, let others, _): root == number && others == 0
    default: true
    }
  }
}

/// Caches the marks of source files.
private final class MarkTable {
  private let read: (String) -> SourceMarks?
  /// By file; nil if it does not exist.
  private var known: [String: SourceMarks?] = [:]

  init(_ read: @escaping (String) -> SourceMarks?) {
    self.read = read
  }

  subscript(file: String) -> SourceMarks? {
    if let known = known[file] { return known }
    let found = read(file)
    known[file] = found
    return found
  }
}

/// Creates the subjects of functions.
private struct SubjectCollector {
  private let joiner: FunctionJoiner
  private let options: FunctionReferences.Options
  private let marks: MarkTable
  /// Names within branches of any file, and names that the source looks up at run time.
  private var branchNames: [Substring: [(file: String, line: Int)]] = [:]
  private var lookedUp: [Substring: (file: String, line: Int)] = [:]

  init(
    _ index: ReferenceIndex, _ options: FunctionReferences.Options, _ marks: MarkTable
  ) {
    joiner = FunctionJoiner(index)
    self.options = options
    self.marks = marks
    let indexed = index.files.map { ($0.path, marks[$0.path]) }
    let unindexed = options.unindexed.map { ($0, options.unindexedMarks($0)) }
    for case (let file, let found?) in indexed + unindexed {
      for (name, lines) in found.branchNames where branchNames[name, default: []].count < 2 {
        branchNames[name, default: []] += lines.map { (file, $0) }
      }
      for (name, line) in found.lookedUp where lookedUp[name] == nil {
        lookedUp[name] = (file, line)
      }
    }
  }

  func subject(_ row: FunctionReport) -> ReferenceSubject {
    let names = [row.mangledName] + row.pieces.map(\.name).filter { $0 != row.mangledName }
    let evidence = evidence(row.verdict)
    // A function without subject counts as live.
    guard evidence != .unknown else {
      return ReferenceSubject(join: .unknown(.compilerGenerated), evidence: evidence)
    }
    var subject = ReferenceSubject(
      join: joiner.join(
        names: names, shortName: row.shortName, file: row.file, line: row.line),
      evidence: evidence, isTest: row.origin == .tests, bytes: row.bytes)
    if evidence == .neverCalled { addMarks(&subject, row) }
    return subject
  }

  private func evidence(_ verdict: Verdict) -> ReferenceSubject.Evidence {
    switch verdict {
    case .neverCalled: .neverCalled
    case .called, .belowThreshold: .called
    default: .unknown
    }
  }

  private func addMarks(_ subject: inout ReferenceSubject, _ row: FunctionReport) {
    let base = Substring(FunctionJoiner.baseName(row.shortName))
    if let place = lookedUp[Substring(row.mangledName)] {
      subject.reachedByName = .lookedUp(file: place.file, line: place.line)
    } else if options.exported.contains(row.mangledName) {
      subject.reachedByName = .exported
    }
    if let place = hiddenUse(of: base, row) {
      subject.hiddenBranches = .named(file: place.file, line: place.line)
    }
    guard let file = row.file, let marks = marks[file] else { return }
    subject.reachedByName = marks.reachedByName(line: row.line) ?? subject.reachedByName
    // SwiftPM renames an executable's `main` for its tests: `Tool_main`.
    let isMain = row.mangledName == "main" || row.mangledName.hasSuffix("_main")
    if subject.join.isUnknown, isMain, file.hasSuffix(".swift") {
      subject.reachedByName = .entryPoint
    }
  }

  /// The place where excluded code names a function, except its own declaration. An initializer is
  /// named by its type.
  private func hiddenUse(
    of base: Substring, _ row: FunctionReport
  ) -> (file: String, line: Int)? {
    let path = row.shortName.prefix { $0 != "(" }.split(separator: ".")
    let name = base == "init" && path.count > 1 ? path[path.count - 2] : base
    return branchNames[name]?.first { $0.file != row.file || $0.line != row.line }
  }
}
