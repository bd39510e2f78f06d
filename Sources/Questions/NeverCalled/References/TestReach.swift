import FirstlightModel
import ReferenceIndex

/// A function of a test file.
package struct TestFunction: Hashable, Sendable {
  package var symbol: ReferenceIndex.Symbol
  package var name: String
  package var file: String
  package var line: Int
}

/// The functions to which nothing but tests refers, and the tests that do.
package struct TestReach: Sendable {
  /// By subject: whether it is removable together with tests. Nothing but tests and other such subjects refers to
  /// it.
  let isRemovable: [Bool]
  /// By file of the index: whether it belongs to tests.
  package let isTestFile: [Bool]
  /// Symbols with code of their own, such as computed properties.
  package let hasCode: Set<ReferenceIndex.Symbol>
  private let symbols: [ReferenceIndex.Symbol?]
  private let markedTests: Set<ReferenceIndex.Symbol>

  /// - Parameter isMarked: whether an attribute on a line of a file makes a function a test.
  init(_ classifier: ReferenceClassifier, isMarked: (_ file: String, _ line: Int) -> Bool) {
    let candidates = classifier.subjects.indices.map { classifier.isCandidateWithTests($0) }
    isRemovable = ReferenceClusters.removable(
      candidates, ReferenceClusters.inverse(classifier.referrers.map(\.neverCalled)))
    isTestFile = classifier.isTestFile
    symbols = classifier.subjects.indices.map(classifier.symbol)
    hasCode = Set(symbols.compactMap(\.self))
    let index = classifier.index
    markedTests = Set(
      (0..<index.symbolCount).filter { symbol in
        guard index.traits[symbol].kind.isFunction else { return false }
        return index.definitions(of: symbol).contains { place in
          classifier.isTestFile[place.file] && isMarked(index.files[place.file].path, place.line)
        }
      })
  }

  /// Whether a test library runs a function, or its name says that it is a test.
  package func isTest(_ symbol: ReferenceIndex.Symbol, in index: ReferenceIndex) -> Bool {
    index.traits[symbol].isUnitTest || markedTests.contains(symbol)
      || index.traits[symbol].kind.isFunction
        && index.name(symbol).prefix(4).lowercased() == "test"
  }

  /// The functions of tests that directly refer to a symbol; nil stands for other code of tests.
  package func referrers(
    to symbol: ReferenceIndex.Symbol, in index: ReferenceIndex
  ) -> [ReferenceIndex.Symbol?] {
    index.references(to: symbol).filter { isTestFile[$0.file] && !$0.isOnlyOverride }
      .map(\.container)
  }

  func tests(
    of subject: Int, through neverCalled: [[Int]], in index: ReferenceIndex
  ) -> [TestFunction] {
    var seen: Set = [subject]
    var next = [subject]
    var direct: Set<Use> = []
    while let subject = next.popLast() {
      if let symbol = symbols[subject] { direct.formUnion(uses(of: symbol, in: index)) }
      for referrer in neverCalled[subject] where seen.insert(referrer).inserted {
        next.append(referrer)
      }
    }
    return tests(above: direct, in: index).compactMap { use in
      // Without an index, functions of one name are one symbol, such as the `main` of each test program.
      let places = index.definitions(of: use.symbol).filter { !$0.isDeclaration }
      guard let place = places.first(where: { $0.file == use.file }) ?? places.only else {
        return nil
      }
      return TestFunction(
        symbol: use.symbol, name: index.name(use.symbol), file: index.files[place.file].path,
        line: place.line)
    }.sorted { ($0.file, $0.line, $0.name) < ($1.file, $1.line, $1.name) }
  }

  /// A function of tests, and the file in which it refers to something.
  private struct Use: Hashable {
    var symbol: ReferenceIndex.Symbol
    var file: Int
  }

  private func uses(of symbol: ReferenceIndex.Symbol, in index: ReferenceIndex) -> Set<Use> {
    let references = index.references(to: symbol).filter {
      isTestFile[$0.file] && !$0.isOnlyOverride
    }
    return Set(
      references.compactMap { reference in
        reference.container.map { Use(symbol: $0, file: reference.file) }
      })
  }

  /// The tests that use the given test code; the code itself where no test uses it.
  private func tests(
    above direct: Set<Use>, in index: ReferenceIndex
  ) -> [Use] {
    var seen = direct
    var next = Array(seen)
    var found: [Use] = []
    while let use = next.popLast() {
      // If several files define the name, only references in the same file mean this function.
      let isOnly = index.definitions(of: use.symbol).filter { !$0.isDeclaration }.count <= 1
      let users = uses(of: use.symbol, in: index).filter { isOnly || $0.file == use.file }
      if isTest(use.symbol, in: index) || users.isEmpty {
        found.append(use)
      } else {
        next += users.filter { seen.insert($0).inserted }
      }
    }
    return found
  }
}

extension Collection {
  /// The element of a collection that has no other.
  fileprivate var only: Element? { count == 1 ? first : nil }
}

extension ReferenceClassifier {
  /// Whether nothing but never-called functions and tests refers to the subject, so that it is removable if they are.
  func isCandidateWithTests(_ subject: Int) -> Bool {
    guard subjects[subject].answer == .neverCalled, !subjects[subject].isTest,
      subjects[subject].named == nil
    else { return false }
    return keeping(subject, besideTests: true) == nil
  }
}
