import FirstlightModel
import ReferenceIndex

/// The references to the functions of a report.
package struct FunctionReferences: Sendable {
  /// Facts from the index and the source, beside the report.
  package struct Options {
    var classifying = ReferenceClassifier.Options()
    /// Facts about a source file that no index has; nil if the file does not exist.
    package var source: (String) -> SourceText? = { _ in nil }
    /// The words of the project's files.
    package var words = ProjectWords()
    /// Linker names that the recorded binaries export.
    package var exported: Set<TextBytes> = []
    /// Why a function stays whatever refers to it, as the user wishes; nil if it need not.
    package var refusal: (FunctionReport) -> DeletionRefusal? = { _ in nil }
    /// What the text of their declarations says of candidates.
    package var check: ([DeletionCandidate]) throws(Failure) -> DeletionAnswer = { _ in
      DeletionAnswer()
    }

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
  private let numbers: [TextBytes: Int]
  private let names: [Int: String]
  private let lines: [Int: Int]
  private let order: ReferenceOrder
  /// By function: the never-called functions that refer to it.
  private let referrers: [[Int]]
  /// The functions to which only tests refer, and those tests.
  package let testReach: TestReach
  /// By removable function: the source lines that go with it.
  private let lineCounts: [Int: Int]

  /// Throws the failure of `options.check`.
  package init(
    of report: DeadCodeReport, in index: ReferenceIndex, options: Options
  ) throws(Failure) {
    let sources = SourceTexts(options.source)
    let collector = SubjectCollector(index, options, sources)
    var subjects = report.functions.map { collector.subject($0) }
    self.index = index
    symbols = Self.neverCalledSymbols(subjects)
    outer = subjects.enumerated().reduce(into: [:]) { outer, subject in
      if case .local(let symbol) = subject.element.join { outer[subject.offset] = symbol }
    }
    var classifying = options.classifying
    classifying.isDeclaredPublic = { file, line in sources[file]?.isPublic(line: line) ?? false }
    var classifier = ReferenceClassifier(subjects, in: index, options: classifying)
    let answer = try DeletionCandidates(classifier) { report.functions[$0].shortName }
      .answer(options.check)
    if !answer.refusals.isEmpty {
      // What they refer to stays, too.
      for (subject, refusal) in answer.refusals { subjects[subject].refusal = refusal }
      classifier = ReferenceClassifier(subjects, in: index, options: classifying)
    }
    reports = classifier.reports()
    referrers = classifier.referrers.map(\.neverCalled)
    testReach = TestReach(classifier) { sources[$0]?.reachedByName(line: $1) == .test }
    order = ReferenceOrder(
      reports,
      roots: reports.indices.map {
        classifier.clusters.isRemovable($0) ? classifier.clusters.root(of: $0) : nil
      }, referrers: referrers, bytes: subjects.map(\.bytes))
    var numbers: [TextBytes: Int] = [:]
    var names: [Int: String] = [:]
    var lines: [Int: Int] = [:]
    for number in reports.indices where reports[number] != nil {
      let function = report.functions[number]
      numbers[function.identity] = number
      names[number] = function.shortName
      lines[number] = function.line
    }
    self.numbers = numbers
    self.names = names
    self.lines = lines
    lineCounts = answer.lines
  }

  /// The words by which a project's files may name a function: its name without types and parameters, or the type of
  /// an initializer, and the linker's name.
  package static func words(of row: FunctionReport) -> Set<TextBytes> {
    let base = FunctionJoiner.baseName(row.shortName)
    let path = row.shortName.prefix(upToAny: "(").split(at: ".")
    let name = base == "init" && path.count > 1 ? path[path.count - 2] : base
    return [TextBytes(name), TextBytes(row.mangledName.drop(any: "$"))]
  }

  private static func neverCalledSymbols(
    _ subjects: [ReferenceSubject]
  ) -> [ReferenceIndex.Symbol?] {
    var called: Set<ReferenceIndex.Symbol> = []
    for case .symbol(let symbol) in subjects.lazy.filter({ $0.answer != .neverCalled }).map(
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

  /// The short name of a function that the reason of another one gives; with its line if both have the same name.
  package func name(_ number: Int, for identity: String) -> String {
    let name = names[number] ?? ""
    guard let own = numbers[identity], own != number, names[own] == name,
      let line = lines[number], line > 0
    else { return name }
    return "\(name) (line \(line))"
  }

  /// Whether only tests, and functions that are removable with them, refer to a function, or nothing at all.
  package func isUnneeded(_ identity: String) -> Bool {
    numbers[identity].map { testReach.isRemovable[$0] } ?? false
  }

  /// The tests that refer to a never-called function, themselves or through other code that never ran or
  /// belongs to tests.
  package func tests(_ identity: String) -> [TestFunction] {
    numbers[identity].map { testReach.tests(of: $0, through: referrers, in: index) } ?? []
  }

  /// Why a function stays that references would allow to delete; nil for others, and for those that tests call.
  package func keeping(_ identity: String) -> String? {
    switch report(identity)?.reason {
    case .refused(let refusal): return refusal == .tests ? nil : refusal.text
    case .onlyNeverCalled(let user, test: nil):
      guard let end = chain(identity).last, case .refused? = reports[end]?.reason else {
        return nil
      }
      return "\(name(user, for: identity)) stays and refers to it"
    default: return nil
    }
  }

  /// The group of a function; nil if a run may have called it.
  package func group(_ identity: String) -> ReferenceGroup? {
    report(identity).map(ReferenceGroup.init)
  }

  /// Sorts a list's rows, if it is sorted by references.
  ///
  /// - Parameter isDeletable: whether to keep only removable functions.
  func arrange(_ list: inout DeadCodeList, onlyDeletable isDeletable: Bool = false) {
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

  /// The lines that `prune` removes with a function if all that can go does; nil for those that stay, and for local
  /// functions, which go with those around them.
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
