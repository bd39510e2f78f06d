import FirstlightModel
import NeverCalled
import ReferenceIndex
import SystemSupport

/// The code of tests that goes with the functions that only it refers to.
///
/// A test goes only if all functions of the program that it refers to go, so that no live code loses a test.
/// Otherwise these functions stay. An initializer that other tests use, too, does not count, since tests need
/// instances.
struct PrunableTests {
  /// The functions, then the code of tests that refers to them.
  private(set) var candidates: [PruneCandidate]
  private let index: ReferenceIndex
  private let reach: TestReach
  private let isDependency: (String) -> Bool
  private var numbers: [ReferenceIndex.Symbol: Int] = [:]
  /// By function of tests: the symbols that it refers to.
  private var used: [ReferenceIndex.Symbol: [ReferenceIndex.Symbol]] = [:]
  private var entries = TestEntries()

  /// - Parameter isDependency: whether a file belongs to a dependency.
  init(
    _ functions: [PruneCandidate], _ references: FunctionReferences,
    isDependency: @escaping (String) -> Bool
  ) {
    self.isDependency = isDependency
    candidates = functions
    (index, reach) = (references.index, references.testReach)
    for (number, candidate) in functions.enumerated() { numbers[candidate.symbol] = number }
    for symbol in 0..<index.symbolCount {
      for user in reach.referrers(to: symbol, in: index).compactMap(\.self) {
        used[user, default: []].append(symbol)
      }
    }
    var next = functions.indices.flatMap { users(of: $0) }
    while let symbol = next.popLast() {
      guard numbers[symbol] == nil else { continue }
      let number = add(symbol)
      if candidates[number].keeping == nil { next += users(of: number) }
    }
    keepLastTests()
    tie()
  }

  /// Whether a build wrote a file, such as the list of tests for XCTest.
  static func isGenerated(_ file: String) -> Bool {
    file.containsUTF8(".derived/") || file.containsUTF8("@__swiftmacro_")
  }

  /// Whether a macro wrote code, such as the code that registers a test for its library.
  private func isGenerated(_ symbol: ReferenceIndex.Symbol) -> Bool {
    index.name(symbol).isSwiftSymbol
  }

  // MARK: Users

  /// The code of tests that refers to a candidate and is not yet known. Code without a name keeps the candidate.
  private mutating func users(of number: Int) -> [ReferenceIndex.Symbol] {
    let candidate = candidates[number]
    var users: [ReferenceIndex.Symbol] = []
    let lists = candidate.isTest ? entries.places(of: candidate, in: testFiles(of: candidate)) : nil
    candidates[number].entries = lists ?? []
    for reference in index.references(to: candidate.symbol) {
      let file = index.files[reference.file].path
      guard !Self.isGenerated(file), reach.isTestFile[reference.file] || candidate.isTest,
        reference.container.map({ numbers[$0] == nil && !isGenerated($0) }) ?? true
      else { continue }
      // All places that name it are entries of lists.
      if lists?.isEmpty == false { continue }
      guard let user = reference.container, reach.isTestFile[reference.file] else {
        candidates[number].keeping = .usedAt("\(BaseName.of(file)):\(reference.line)")
        continue
      }
      users.append(user)
    }
    return users
  }

  private func testFiles(of candidate: PruneCandidate) -> Set<TextBytes> {
    var files = Set(texts: [candidate.definition.file] + candidate.declarations.map(\.file))
    for reference in index.references(to: candidate.symbol) where reach.isTestFile[reference.file] {
      files.insert(index.files[reference.file].path)
    }
    return files.filter { !Self.isGenerated($0.text) }
  }

  private mutating func add(_ symbol: ReferenceIndex.Symbol) -> Int {
    let name = index.name(symbol)
    let definitions = index.definitions(of: symbol)
    func place(_ definition: ReferenceIndex.Definition) -> PruneCandidate.Place {
      .init(
        file: index.files[definition.file].path,
        target: DeclarationTarget(name: name, line: definition.line))
    }
    var candidate = PruneCandidate(
      name: name, symbol: symbol,
      definition: definitions.first { !$0.isDeclaration }.map(place)
        ?? .init(file: "", target: DeclarationTarget(name: name, line: 0)),
      declarations: definitions.filter(\.isDeclaration).map(place))
    candidate.isTest = true
    candidate.keeping = keeping(symbol)
    numbers[symbol] = candidates.count
    candidates.append(candidate)
    return candidates.count - 1
  }

  // MARK: Tests of live code

  private func keeping(_ symbol: ReferenceIndex.Symbol) -> PruneKeeping? {
    guard index.traits[symbol].kind.isFunction, index.isDefined(symbol) else {
      return .noFunction
    }
    // Several programs may have a function of this name. The index does not show which of them a reference means.
    let bodies = index.definitions(of: symbol).count { !$0.isDeclaration }
    guard bodies == 1 || index.traits[symbol].language == .swift else { return .namesakes }
    if index.name(symbol).prefix(upToAny: "(") == "main" { return .program }
    let live = (used[symbol] ?? []).first { isLive($0) && index.traits[$0].kind != .constructor }
    return live.map { .liveCode(index.name($0)) }
  }

  /// Keeps tests without which no test would refer to a live initializer.
  private mutating func keepLastTests() {
    func goes(_ user: ReferenceIndex.Symbol?) -> Bool {
      guard let number = user.flatMap({ numbers[$0] }) else { return false }
      return candidates[number].isTest && candidates[number].keeping == nil
    }
    for number in candidates.indices where goes(candidates[number].symbol) {
      let last = (used[candidates[number].symbol] ?? []).first {
        isLive($0) && index.traits[$0].kind == .constructor
          && reach.referrers(to: $0, in: index).allSatisfy(goes)
      }
      candidates[number].keeping = last.map { .liveCode(index.name($0)) }
    }
  }

  /// Whether a symbol is a function of the program, or a test.
  private func isLive(_ symbol: ReferenceIndex.Symbol) -> Bool {
    guard numbers[symbol] == nil, !isGenerated(symbol),
      index.traits[symbol].kind.isFunction || reach.hasCode.contains(symbol),
      let place = index.definitions(of: symbol).first(where: { !$0.isDeclaration })
    else { return false }
    return reach.isTestFile[place.file]
      ? reach.isTest(symbol, in: index) : !isDependency(index.files[place.file].path)
  }

  /// Code of tests stays if a candidate that it refers to stays, and the other way round.
  private mutating func tie() {
    for (user, targets) in used {
      guard let user = numbers[user], candidates[user].isTest else { continue }
      // A runner that only lists a test does not keep it: the entry is removed with the test.
      for target in targets.compactMap({ numbers[$0] })
      where target != user && candidates[target].entries.isEmpty {
        candidates[user].uses.append(target)
        candidates[target].uses.append(user)
      }
    }
    for number in candidates.indices {
      candidates[number].uses = Set(candidates[number].uses).sorted()
    }
  }
}
