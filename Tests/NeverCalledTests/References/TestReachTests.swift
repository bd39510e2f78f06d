import ReferenceIndex
import Testing

@testable import NeverCalled

/// What only tests refer to, and the tests that do.
@Suite struct TestReachTests {
  private var source = Source()
  private let symbols: [String: Int]

  init() {
    var symbols: [String: Int] = [:]
    for name in ["tested", "inner", "live", "lonely", "shared"] {
      symbols[name] = source.function(name)
    }
    symbols["main"] = source.function("run", .called)
    for name in ["testIt()", "testAll()"] {
      symbols[name] = source.declare(
        name, .instanceMethod, file: Source.tests, isUnitTest: name == "testIt()")
    }
    symbols["helper"] = source.declare("helper", .function, file: Source.tests)
    self.symbols = symbols
    source.refer(to: symbols["tested"]!, from: symbols["helper"], file: Source.tests)
    source.refer(to: symbols["helper"]!, from: symbols["testIt()"], file: Source.tests)
    source.refer(to: symbols["helper"]!, from: symbols["testAll()"], file: Source.tests)
    source.refer(to: symbols["inner"]!, from: symbols["tested"])
    source.refer(to: symbols["live"]!, from: symbols["main"])
    source.refer(to: symbols["live"]!, from: symbols["testIt()"], file: Source.tests)
    source.refer(to: symbols["shared"]!, from: symbols["live"])
    source.refer(to: symbols["shared"]!, from: symbols["tested"])
  }

  private var classifier: ReferenceClassifier { source.classifier() }

  @Test func onlyWhatNothingElseNeedsGoesWithTests() {
    let reach = TestReach(classifier) { _, _ in false }
    let found = source.numbers.filter { reach.isRemovable[$0.value] }.map(\.key)
    #expect(found.sorted() == ["inner", "lonely", "tested"])
  }

  @Test func testsAreFoundThroughOtherCode() {
    let classifier = classifier
    let reach = TestReach(classifier) { _, _ in false }
    func tests(_ name: String) -> [String] {
      reach.tests(
        of: source.numbers[name]!, through: classifier.referrers.map(\.neverCalled),
        in: classifier.index
      ).map(\.name)
    }
    #expect(tests("tested") == ["testIt()", "testAll()"])
    #expect(tests("inner") == ["testIt()", "testAll()"])
    #expect(tests("lonely") == [])
  }

  /// Each of several test programs has a `main`: they are one symbol.
  @Test func theFileThatRefersToAFunctionNamesItsTest() {
    let traits = IndexSymbolTraits(kind: .function, language: .c)
    var builder = ReferenceIndexBuilder()
    let function = builder.symbol(usr: "l:f", name: "f", traits)!
    let main = builder.symbol(usr: "l:main", name: "main", traits)!
    let files = ["/p/f.c", "/p/Tests/a.c", "/p/Tests/b.c"].map { builder.file($0, module: "") }
    builder.define(function, file: files[0], line: 1)
    for file in files[1...] { builder.define(main, file: file, line: 5) }
    builder.refer(to: function, from: main, file: files[2], line: 6)
    let index = builder.build()
    var options = ReferenceClassifier.Options()
    options.isTest = { $0.contains("/Tests/") }
    let classifier = ReferenceClassifier(
      [ReferenceSubject(join: .symbol(function), answer: .neverCalled)], in: index,
      options: options)
    let tests = TestReach(classifier) { _, _ in false }
      .tests(of: 0, through: classifier.referrers.map(\.neverCalled), in: index)
    #expect(tests.map(\.file) == ["/p/Tests/b.c"])
    #expect(tests.map(\.line) == [5])
  }
}
