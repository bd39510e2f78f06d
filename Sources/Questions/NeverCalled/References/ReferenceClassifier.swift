import FirstlightModel
import ReferenceIndex

/// Classifies the references to functions.
struct ReferenceClassifier {
  struct Options {
    /// Modules of library products: their public functions may have other callers.
    var libraryModules: Set<TextBytes> = []
    /// Whether a header's functions may have callers outside of the project.
    var isPublicHeader: (String) -> Bool = { _ in false }
    /// Whether functions that only users of a library may call are removable.
    var allowsPublic = false
    /// Whether a file contains tests.
    var isTest: (String) -> Bool = { _ in false }
    /// Whether the source declares something public on a line.
    var isDeclaredPublic: (_ file: String, _ line: Int) -> Bool = { _, _ in false }

    init() {}
  }

  let index: ReferenceIndex
  let subjects: [ReferenceSubject]
  let options: Options
  /// By symbol: its subject; -1 if none. If there are several, as for a header function's copies, a
  /// called one is preferred.
  private var subjectOfSymbol: [Int32]
  /// By file of the index.
  let isTestFile: [Bool]
  /// By subject.
  private(set) var referrers: [Referrers] = []
  private(set) var clusters = ReferenceClusters()

  init(
    _ subjects: [ReferenceSubject], in index: ReferenceIndex, options: Options = Options()
  ) {
    self.index = index
    self.subjects = subjects
    self.options = options
    isTestFile = index.files.map { options.isTest($0.path) }
    subjectOfSymbol = Array(repeating: -1, count: index.symbolCount)
    for (number, subject) in subjects.enumerated() {
      guard case .symbol(let symbol) = subject.join else { continue }
      let known = subjectOfSymbol[symbol]
      if known < 0 || subject.answer != .neverCalled && subjects[Int(known)].answer != .called {
        subjectOfSymbol[symbol] = Int32(number)
      }
    }
    referrers = subjects.map(referrers)
    clusters = ReferenceClusters(
      candidates: subjects.indices.map(isCandidate), referrers: referrers.map(\.neverCalled),
      bytes: subjects.map(\.bytes))
  }

  /// By subject; nil for functions that a run may have called. `ReferenceClassifier+Rules.swift` has the rules.
  func reports() -> [ReferenceReport?] {
    subjects.indices.map { subject in
      guard subjects[subject].answer == .neverCalled else { return nil }
      let reason = reason(subject)
      let removed = reason.isDeletable ? symbol(of: subject) : nil
      return ReferenceReport(
        reason: reason, publicInterface: removed.flatMap(publicInterface),
        header: removed.flatMap { DeletionCandidate($0, named: "", in: index)?.header },
        named: reason.isSettled ? nil : subjects[subject].named)
    }
  }

  /// Whether nothing but never-called functions refers to the subject, so that it is removable if they are.
  private func isCandidate(_ subject: Int) -> Bool {
    // A place that names the function may need it and those that fall with it.
    guard subjects[subject].answer == .neverCalled, referrers[subject].test == nil,
      subjects[subject].named == nil
    else { return false }
    return keeping(subject) == nil
  }

  // MARK: References

  func symbol(of subject: Int) -> ReferenceIndex.Symbol? {
    if case .symbol(let symbol) = subjects[subject].join { return symbol }
    return nil
  }

  /// The subject of a symbol.
  func subject(of symbol: ReferenceIndex.Symbol) -> Int? {
    let subject = subjectOfSymbol[symbol]
    return subject < 0 ? nil : Int(subject)
  }

  private func referrers(of subject: ReferenceSubject) -> Referrers {
    switch subject.join {
    case .symbol(let symbol): return referrers(to: symbol)
    case .local(let outer):
      var result = Referrers()
      if let outer = self.subject(of: outer), subjects[outer].answer == .neverCalled {
        result.neverCalled = [outer]
      }
      return result
    case .unknown: return Referrers()
    }
  }

  /// - Parameter countsOverrides: whether to include overrides and implementations.
  func referrers(
    to symbol: ReferenceIndex.Symbol, countsOverrides: Bool = true
  ) -> Referrers {
    var result = Referrers()
    for reference in index.references(to: symbol)
    where countsOverrides || !reference.isOnlyOverride {
      switch source(of: reference) {
      case .live: result.live = result.live ?? reference
      case .test: result.test = result.test ?? reference
      case .neverCalled(let subject): result.neverCalled.append(subject)
      }
    }
    return result
  }

  private func source(of reference: ReferenceIndex.Reference) -> ReferenceSource {
    if isTestFile[reference.file] { return .test }
    guard let container = reference.container, let subject = subject(of: container) else {
      return .live
    }
    if subjects[subject].isTest { return .test }
    return subjects[subject].answer == .neverCalled ? .neverCalled(subject) : .live
  }

  func site(_ reference: ReferenceIndex.Reference) -> ReferenceReason.Site {
    ReferenceReason.Site(
      file: index.files[reference.file].path, line: reference.line,
      container: reference.container.map(index.name))
  }
}

/// The references to a function, by whether a run may have reached them.
struct Referrers {
  /// The first reference from code that may run.
  var live: ReferenceIndex.Reference?
  /// The first reference from a test.
  var test: ReferenceIndex.Reference?
  /// Never-called subjects that refer to the function.
  var neverCalled: [Int] = []
}

/// The kind of code that contains a reference.
enum ReferenceSource {
  case live
  case test
  /// Index of the subject.
  case neverCalled(Int)
}
