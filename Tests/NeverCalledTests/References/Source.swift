import ReferenceIndex

@testable import NeverCalled

/// Source for tests, put together by hand: functions, and who refers to whom.
struct Source {
  private var builder = ReferenceIndexBuilder()
  private(set) var subjects: [ReferenceSubject] = []
  /// Subjects by name.
  private(set) var numbers: [String: Int] = [:]
  var options = ReferenceClassifier.Options()
  private var line = 0

  init() {
    options.isTest = { $0.contains("/Tests/") }
  }

  static let file = "/p/Sources/M/a.swift"
  static let tests = "/p/Tests/MTests/t.swift"

  /// Declares something that is no subject: a type, a requirement, a function without a row.
  @discardableResult
  mutating func declare(
    _ name: String, _ kind: IndexSymbolKind, access: IndexSymbolTraits.Access = .internal,
    language: IndexSymbolTraits.Language = .swift, file: String? = Self.file,
    isUnitTest: Bool = false, usr: String? = nil
  ) -> Int {
    let symbol = builder.symbol(
      usr: usr ?? "s:\(name)", name: name,
      IndexSymbolTraits(kind: kind, language: language, access: access, isUnitTest: isUnitTest))!
    line += 1
    if let file {
      builder.define(symbol, file: builder.file(file, module: "M"), line: line)
    }
    return symbol
  }

  /// Adds a function, and asks who refers to it.
  @discardableResult
  mutating func function(
    _ name: String, _ answer: Verdict.Answer = .neverCalled,
    kind: IndexSymbolKind = .function, access: IndexSymbolTraits.Access = .internal,
    language: IndexSymbolTraits.Language = .swift, bytes: UInt64 = 10, isTest: Bool = false,
    isUnitTest: Bool = false, reachedByName: ReachedByName? = nil, usr: String? = nil
  ) -> Int {
    let symbol = declare(
      name, kind, access: access, language: language, isUnitTest: isUnitTest, usr: usr)
    ask(
      name,
      ReferenceSubject(
        join: .symbol(symbol), answer: answer, isTest: isTest, bytes: bytes,
        reachedByName: reachedByName))
    return symbol
  }

  mutating func ask(_ name: String, _ subject: ReferenceSubject) {
    numbers[name] = subjects.count
    subjects.append(subject)
  }

  mutating func refuse(_ name: String, _ refusal: DeletionRefusal) {
    subjects[number(name)].refusal = refusal
  }

  mutating func refer(
    to target: Int, from container: Int?, file: String = Self.file, line: Int = 99
  ) {
    builder.refer(
      to: target, from: container, file: builder.file(file, module: "M"), line: line)
  }

  mutating func doubt(_ target: Int) { builder.doubt(target) }

  mutating func relate(_ symbol: Int, _ roles: IndexRoles, _ other: Int) {
    builder.relate(symbol, roles, other)
  }

  mutating func declareInHeader(_ symbol: Int, _ header: String) {
    builder.define(symbol, file: builder.file(header, module: ""), line: 1, isDeclaration: true)
  }

  var index: ReferenceIndex { builder.build() }

  func classifier() -> ReferenceClassifier {
    ReferenceClassifier(subjects, in: builder.build(), options: options)
  }

  /// What is said of a function.
  func reason(_ name: String) -> ReferenceReason? {
    let reports = classifier().reports()
    return numbers[name].flatMap { reports[$0]?.reason }
  }

  func number(_ name: String) -> Int { numbers[name] ?? -1 }
}
