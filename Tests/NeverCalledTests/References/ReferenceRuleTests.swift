import ReferenceIndex
import Testing

@testable import NeverCalled

/// Which rule decides, and what it says.
@Suite struct ReferenceRuleTests {
  private func site(
    _ container: String?, file: String = Source.file, line: Int = 99
  ) -> ReferenceReason.Site {
    ReferenceReason.Site(file: file, line: line, container: container)
  }

  @Test func functionsWithoutReferencesAreUnreferenced() {
    var source = Source()
    source.function("f", bytes: 30)
    #expect(source.reason("f") == .unreferenced(.init(functions: 1, bytes: 30)))
    #expect(source.reason("f")?.isDeletable == true)
  }

  @Test func whatAnotherPlaceNamesIsNotDeletable() {
    let reason = ReferenceReason.unreferenced(.init(functions: 1, bytes: 1))
    #expect(ReferenceReport(reason: reason, named: nil).isDeletable)
    #expect(!ReferenceReport(reason: reason, named: .init(file: "/a", line: 1)).isDeletable)
  }

  @Test func whatPruneRefusesIsNotDeletableNorIsWhatItRefersTo() {
    var source = Source()
    let f = source.function("f")
    let g = source.function("g")
    source.refer(to: g, from: f)
    source.refuse("f", .declaration(.storedProperty))
    #expect(source.reason("f") == .refused(.declaration(.storedProperty)))
    #expect(source.reason("f")?.isDeletable == false)
    #expect(source.reason("g") == .onlyNeverCalled(by: source.number("f"), test: nil))
  }

  @Test func aBetterReasonThanARefusalRemains() {
    var source = Source()
    let f = source.function("f")
    source.refer(to: f, from: source.function("live", .called))
    source.refuse("f", .declaration(.macro))
    guard case .liveCode? = source.reason("f") else {
      Issue.record("\(String(describing: source.reason("f")))")
      return
    }
  }

  @Test func whatTestsCallGoesOnlyWithThem() {
    var source = Source()
    source.function("f")
    source.refuse("f", .tests)
    #expect(source.reason("f") == .refused(.tests))
    #expect(source.classifier().isCandidateWithTests(0))
  }

  // MARK: Candidates

  @Test func declarationsOfCandidatesAreChecked() throws {
    var source = Source()
    let f = source.function("f")
    let g = source.function("g", language: .c)
    source.declareInHeader(g, "/p/g.h")
    source.refer(to: g, from: f)
    source.refer(to: source.function("h"), from: source.function("live", .called))
    let candidates = DeletionCandidates(source.classifier()) { "name \($0)" }
    #expect(candidates.all.map(\.name) == ["name 0", "name 1"])
    #expect(candidates.all.map(\.uses) == [[1], []])
    #expect(candidates.all[1].declarations.map(\.file) == ["/p/g.h"])
    #expect(candidates.all.map(\.header) == [nil, "/p/g.h"])
    let answer = DeletionAnswer(refusals: [1: .file("elsewhere")], lines: [0: 3])
    #expect(try candidates.answer { _ in answer } == answer)
  }

  @Test func aDeclarationOfSeveralFunctionsStaysIfOneOfThemRan() throws {
    var source = Source()
    let f = source.function("f")
    source.ask("copy", ReferenceSubject(join: .symbol(f), answer: .called))
    let candidates = DeletionCandidates(source.classifier()) { "\($0)" }
    #expect(candidates.all.isEmpty)
    #expect(
      try candidates.answer { _ in DeletionAnswer() }.refusals
        == [0: .declaration(.severalFunctions)])
  }

  @Test func calledFunctionsHaveNoReport() {
    var source = Source()
    source.function("f", .called)
    #expect(source.reason("f") == nil)
  }

  @Test func recursionIsNoReference() {
    var source = Source()
    let f = source.function("f")
    source.refer(to: f, from: f)
    #expect(source.reason("f") == .unreferenced(.init(functions: 1, bytes: 10)))
  }

  @Test func referencesFromCalledFunctionsAreLive() {
    var source = Source()
    let f = source.function("f")
    let caller = source.function("caller", .called)
    source.refer(to: f, from: caller)
    #expect(source.reason("f") == .liveCode(site("caller")))
    #expect(source.reason("f")?.isDeletable == false)
  }

  @Test func referencesFromUnwatchedFunctionsAreLive() {
    var source = Source()
    let f = source.function("f")
    source.refer(to: f, from: source.function("inlined", .unknown))
    #expect(source.reason("f") == .liveCode(site("inlined")))
  }

  @Test func referencesOutsideOfFunctionsAreLive() {
    var source = Source()
    let f = source.function("f")
    let g = source.function("g")
    source.refer(to: f, from: nil)
    source.refer(to: g, from: source.declare("Type", .structure))
    #expect(source.reason("f") == .liveCode(site(nil)))
    #expect(source.reason("g") == .liveCode(site("Type")))
  }

  @Test func liveCodeDecidesBeforeProtocolsAndTests() {
    var source = Source()
    let f = source.function("f")
    source.relate(f, .overrideOf, source.declare("encode(to:)", .instanceMethod, file: nil))
    source.refer(to: f, from: nil, file: Source.tests)
    #expect(source.reason("f")?.isAnswer == true)
    source.refer(to: f, from: source.function("caller", .called))
    #expect(source.reason("f") == .liveCode(site("caller")))
  }

  @Test func referencesFromTestsAreNotLive() {
    var source = Source()
    let f = source.function("f")
    let g = source.function("g")
    source.refer(to: f, from: source.function("helper", .called, isTest: true))
    source.refer(to: g, from: nil, file: Source.tests)
    #expect(source.reason("f") == .onlyTests(site("helper")))
    #expect(source.reason("g") == .onlyTests(site(nil, file: Source.tests)))
  }

  /// A run that did not get that far, say: tests alone would be a false claim.
  @Test func neverCalledFunctionsDecideBeforeTests() {
    var source = Source()
    let f = source.function("f")
    let caller = source.function("caller")
    source.refer(to: f, from: caller)
    source.refer(to: f, from: nil, file: Source.tests)
    #expect(
      source.reason("f")
        == .onlyNeverCalled(by: source.number("caller"), test: site(nil, file: Source.tests)))
    #expect(source.reason("caller")?.isDeletable == true)
  }

  @Test func requirementsOfLibrariesMayBeUsed() {
    var source = Source()
    let f = source.function("encode(to:)")
    let requirement = source.declare("Encodable.encode(to:)", .instanceMethod, file: nil)
    source.relate(requirement, .childOf, source.declare("Encodable", .protocolType, file: nil))
    source.relate(f, .overrideOf, requirement)
    #expect(
      source.reason("encode(to:)")
        == .answers(.init(name: "Encodable.encode(to:)", owner: "Encodable", isUsed: nil)))
  }

  @Test func requirementsOfOnesOwnAreUsedIfLiveCodeRefersToThem() {
    var source = Source()
    let f = source.function("f")
    let requirement = source.declare("P.f", .instanceMethod)
    source.relate(f, .overrideOf, requirement)
    #expect(source.reason("f") == .answers(.init(name: "P.f", owner: "", isUsed: false)))
    source.refer(to: requirement, from: source.function("caller", .called))
    #expect(source.reason("f") == .answers(.init(name: "P.f", owner: "", isUsed: true)))
  }

  @Test func overridesOfOverridesAnswerTheFirst() {
    var source = Source()
    let f = source.function("f")
    let base = source.declare("Base.f", .instanceMethod)
    let first = source.declare("First.f", .instanceMethod)
    source.relate(f, .overrideOf, base)
    source.relate(base, .overrideOf, first)
    source.refer(to: first, from: nil)
    #expect(source.reason("f") == .answers(.init(name: "First.f", owner: "", isUsed: true)))
  }

  @Test func overriddenMethodsAreNeeded() {
    var source = Source()
    let base = source.function("Base.init()", kind: .constructor)
    let derived = source.function("Derived.init()", .called, kind: .constructor)
    source.relate(derived, .overrideOf, base)
    #expect(source.reason("Base.init()") == .liveCode(site("Derived.init()", line: 2)))
  }

  @Test func machineCodeMayReferWithoutARelocation() {
    var source = Source()
    let f = source.function("f", language: .c)
    let g = source.function("g", language: .c)
    source.refer(to: g, from: f)
    source.doubt(f)
    #expect(source.reason("f") == .unknown(.noRelocation))
    // What it refers to stays.
    #expect(source.reason("g") == .onlyNeverCalled(by: source.number("f"), test: nil))
    source.refer(to: f, from: source.function("caller", .called, language: .c))
    #expect(source.reason("f") == .liveCode(site("caller")))
  }

  /// As the compiler mangles members of extensions: `Point?(of: 3)` and `[3 of Int](of: 3)` leave no reference.
  @Test(arguments: [
    ("s:Sq1MAA5PointVRszlE2ofSqyACGSi_tcfc", IndexSymbolKind.constructor, true),
    ("s:s11InlineArrayV1MSiRs_rlE2ofABy$xSiGSi_tcfc", .constructor, true),
    ("s:Sq1MAA5PointVRszlE4zeroSiyFZ", .staticMethod, false),
    ("s:Sa1MAA5PointVRszlE2ofSayACGSi_tcfc", .constructor, false),
  ])
  func callsOfInitializersThroughShortTypesAreUnknown(
    usr: String, kind: IndexSymbolKind, isUnknown: Bool
  ) {
    var source = Source()
    source.function("init(of:)", kind: kind, usr: usr)
    #expect((source.reason("init(of:)") == .unknown(.typeSugar)) == isUnknown)
  }

  @Test func functionsOfCxxMayBeCalledByTemplates() {
    var source = Source()
    source.function("f", language: .cxx)
    #expect(source.reason("f") == .unknown(.templates))
  }

  @Test func publicFunctionsOfLibrariesAreInterface() {
    var source = Source()
    source.function("f", access: .public)
    source.function("g", access: .internal)
    #expect(source.reason("f")?.isDeletable == true)
    source.options.libraryModules = ["M"]
    #expect(source.reason("f") == .publicInterface(.module("M")))
    #expect(source.reason("g")?.isDeletable == true)
  }

  @Test func publicMembersOfInternalTypesAreNoInterface() {
    var source = Source()
    source.options.libraryModules = ["M"]
    let f = source.function("f", kind: .instanceMethod, access: .public)
    source.relate(f, .childOf, source.declare("T", .structure, access: .internal))
    #expect(source.reason("f")?.isDeletable == true)
    let g = source.function("g", kind: .instanceMethod, access: .public)
    source.relate(g, .childOf, source.declare("U", .structure, access: .public))
    #expect(source.reason("g") == .publicInterface(.module("M")))
  }

  @Test func sourceSaysWhatIsPublicIfTheIndexDoesNot() {
    var source = Source()
    source.options.libraryModules = ["M"]
    let f = source.function("f", kind: .instanceMethod, access: .unknown)
    source.relate(f, .childOf, source.declare("E", .typeExtension, access: .unknown))
    #expect(source.reason("f")?.isDeletable == true)
    // Line 2 is the extension's.
    source.options.isDeclaredPublic = { file, line in file == Source.file && line == 2 }
    #expect(source.reason("f") == .publicInterface(.module("M")))
  }

  @Test func functionsOfPublicHeadersAreInterface() {
    var source = Source()
    let f = source.function("f", language: .c)
    source.declareInHeader(f, "/p/Sources/C/include/c.h")
    #expect(source.reason("f")?.isDeletable == true)
    source.options.libraryModules = ["C"]
    #expect(source.reason("f") == .publicInterface(.module("C")))
  }

  /// Of a project that makes a library; the index has prototypes of other files, too.
  @Test(arguments: [IndexSymbolTraits.Language.c, .cxx])
  func functionsThatAHeaderDeclaresAreInterface(
    language: IndexSymbolTraits.Language
  ) {
    var source = Source()
    let f = source.function("f", language: language)
    source.declareInHeader(f, "/p/api.h")
    source.declareInHeader(source.function("g", language: .c), "/p/g.c")
    source.refer(to: source.function("helper", language: .c), from: f)
    source.options.isPublicHeader = { $0 == "/p/api.h" }
    #expect(source.reason("f") == .publicInterface(.header("/p/api.h")))
    #expect(source.reason("g")?.isDeletable == true)
    // What it calls stays.
    #expect(source.reason("helper") == .onlyNeverCalled(by: source.number("f"), test: nil))
  }

  @Test func interfaceIsRemovableOnRequest() throws {
    var source = Source()
    let f = source.function("f", language: .c, reachedByName: .exported)
    source.declareInHeader(f, "/p/api.h")
    source.function("internal", language: .c, reachedByName: .exported)
    source.function("swift", access: .public)
    source.options.libraryModules = ["M"]
    source.options.isPublicHeader = { $0 == "/p/api.h" }
    #expect(source.reason("f") == .publicInterface(.header("/p/api.h")))
    source.options.allowsPublic = true
    let reports = source.classifier().reports()
    let report = try #require(reports[source.number("f")])
    #expect(report.isDeletable && report.publicInterface == .header("/p/api.h"))
    #expect(reports[source.number("swift")]?.publicInterface == .module("M"))
    // No header says who may call it.
    #expect(source.reason("internal") == .reachedByName(.exported))
  }

  @Test func interfaceDecidesBeforeTests() {
    var source = Source()
    source.options.libraryModules = ["M"]
    let f = source.function("f", access: .public)
    source.refer(to: f, from: nil, file: Source.tests)
    #expect(source.reason("f") == .publicInterface(.module("M")))
  }

  @Test func attributesReachFunctionsByName() {
    var source = Source()
    source.function("f", reachedByName: .attribute("@_cdecl"))
    #expect(source.reason("f") == .reachedByName(.attribute("@_cdecl")))
  }

  @Test func entryPointsTestsAndDeinitializersAreReachedByName() {
    var source = Source()
    source.function("main()", kind: .staticMethod)
    source.function("t", isUnitTest: true)
    source.function("deinit", kind: .destructor)
    #expect(source.reason("main()") == .reachedByName(.entryPoint))
    #expect(source.reason("t") == .reachedByName(.test))
    #expect(source.reason("deinit") == .reachedByName(.deinitializer))
  }

  @Test(arguments: [
    "buildBlock(_:)", "subscript(dynamicMember:)", "wrappedValue", "~=(_:_:)",
    "subscript(_enclosingInstance:wrapped:storage:)", "init(wrappedValue:key:)", "next()",
    "decodeIfPresent(_:forKey:)", "remoteCall(on:target:invocation:throwing:returning:)",
  ])
  func membersThatTheLanguageCallsAreKept(name: String) {
    var source = Source()
    source.function(name, kind: .staticMethod)
    #expect(source.reason(name) == .reachedByName(.languageFeature(name)))
  }

  @Test(arguments: ["decode(_:)", "next(to:)", "initial(wrappedValue:)", "subscript(place:)"])
  func similarNamesAreNotKept(name: String) {
    var source = Source()
    source.function(name, kind: .instanceMethod)
    #expect(source.reason(name)?.isDeletable == true)
  }

  @Test func reservedNamesOfCAreKept() {
    var source = Source()
    source.function("__wrap_malloc", language: .c, usr: "c:@F@__wrap_malloc")
    source.function("_Exit", language: .c, usr: "c:@F@_Exit")
    source.function("__local", language: .c, usr: "c:a.c@F@__local")
    #expect(source.reason("__wrap_malloc") == .reachedByName(.reserved))
    #expect(source.reason("_Exit") == .reachedByName(.reserved))
    #expect(source.reason("__local")?.isDeletable == true)
  }

  @Test func localFunctionsBelongToTheirFunction() {
    var source = Source()
    let outer = source.function("outer()", .called)
    source.ask("inner", ReferenceSubject(join: .local(within: outer), answer: .neverCalled))
    #expect(source.reason("inner") == .local(within: "outer()"))
  }

  @Test func localFunctionsFallWithANeverCalledFunction() {
    var source = Source()
    let outer = source.function("outer()")
    source.ask(
      "inner", ReferenceSubject(join: .local(within: outer), answer: .neverCalled, bytes: 5))
    let both = ReferenceReason.Cluster(functions: 2, bytes: 15)
    #expect(source.reason("outer()") == .unreferenced(both))
    #expect(
      source.reason("inner") == .fallsWith(root: source.number("outer()"), others: 0, both))
  }

  @Test func functionsUnknownToTheIndexSaySo() {
    var source = Source()
    source.ask("f", ReferenceSubject(join: .unknown(.fileNotIndexed), answer: .neverCalled))
    #expect(source.reason("f") == .unknown(.fileNotIndexed))
    source.ask(
      "g",
      ReferenceSubject(
        join: .unknown(.notDefined), answer: .neverCalled, reachedByName: .linker("used")))
    #expect(source.reason("g") == .reachedByName(.linker("used")))
  }
}

extension ReferenceReason {
  fileprivate var isAnswer: Bool { if case .answers = self { true } else { false } }
}
