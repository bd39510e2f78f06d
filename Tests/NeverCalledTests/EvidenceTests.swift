import FirstlightModel
import Testing

@testable import NeverCalled

/// The evidence that profiles and sources give: seen by the reason that the rules find in it.
@Suite struct EvidenceTests {
  private let large: UInt64 = 4000

  private func reason(
    _ name: String, _ build: RecordedBuild,
    _ change: (inout NeverCalledRequest) -> Void = { _ in }
  ) -> VerdictReason? {
    var request = NeverCalledRequest()
    change(&request)
    let report = DeadCodeReport(
      of: Profile(builds: [build], runs: [Example.run("r")]), for: request)
    return report.functions.first { $0.name == name }?.reason
  }

  private func copy(of name: String, into hosts: [UInt32]) -> Function {
    Function(
      code: .copies(of: hosts, unknownHost: false), name: name, demangledName: name, module: "",
      file: "/src/a.c", line: 1)
  }

  @Test func calledCompilerGeneratedFunctionsKeepTheirVerdict() {
    let made = Example.function("f", isCompilerGenerated: true)
    #expect(reason("f", Example.build([made], called: ["f": 1])) == .compilerGenerated)
  }

  private func counted(
    _ counts: [String: Int], file: String = "/src/a.c", line: Int = 1
  ) -> SourceCounters {
    SourceCounters(
      runs: 4,
      counts.map {
        Function(
          code: .counted(GuardCoverage(runs: $1, firstSeen: 1, lastSeen: 2)), name: $0,
          demangledName: $0, module: "", file: file, line: line)
      })
  }

  @Test func aCounterDecidesAlone() {
    // Small, and a copy of it is in a function that was called.
    var build = Example.build(
      [Example.function("f"), Example.function("host")], called: ["host": 1], runs: 6,
      inlined: [copy(of: "f", into: [1])], isOptimised: true)
    #expect(reason("f", build) == .copyInCalledFunction)
    build.counters = counted(["f": 0, "gone": 0])
    #expect(reason("f", build) == .counted(runs: 4, isInBinary: true))
    #expect(reason("gone", build) == .counted(runs: 4, isInBinary: false))
    build.counters = counted(["f": 2])
    #expect(reason("f", build) == .called(runs: 2))
  }

  /// An object without counters has an inline function of the same header.
  @Test func aCounterSaysNothingOfCodeInOtherObjects() {
    func reason(_ file: String, other: Function?) -> VerdictReason? {
      var build = Example.build(
        [Example.function("f", file: file)], unguarded: other.map { [$0] } ?? [])
      build.counters = counted(["f": 0], file: file)
      return self.reason("f", build)
    }
    let plain = Example.function("other", file: "/src/b.cpp")
    #expect(reason("/src/a.h", other: plain) == .uncountedCode)
    #expect(reason("/src/a.h", other: nil) == .counted(runs: 4, isInBinary: true))
    #expect(reason("/src/a.cpp", other: plain) == .counted(runs: 4, isInBinary: true))
    // Functions that only end the program have no guard in counted objects, either.
    let end = Example.function("end", file: "/src/a.h")
    #expect(reason("/src/a.h", other: end) == .counted(runs: 4, isInBinary: true))
    // The compiler may have evaluated it.
    var constant = Example.build([Example.function("f")])
    constant.counters = counted(["f": 0])
    #expect(
      self.reason("f", constant) { $0.inlining = { _ in .evaluated } } == .evaluatedByCompiler)
  }

  /// clang calls a base class's destructor in place of an empty one.
  @Test func aDestructorWithoutOwnCodeMayHaveRunAsThatOfItsBaseClass() {
    func reason(
      _ names: [String], isOptimised: Bool = true, called: [String: Int] = [:],
      inlined: [Function] = [], counters: [String: Int] = [:]
    ) -> VerdictReason? {
      func demangled(_ name: String) -> String { name.hasPrefix("_ZN1A") ? "A::~A()" : name }
      var build = Example.build(
        names.map { Example.function($0, demangled: demangled($0), size: large) }, called: called,
        inlined: inlined, isOptimised: isOptimised)
      if !counters.isEmpty {
        build.counters = SourceCounters(
          runs: 4,
          counters.map {
            Function(
              code: .counted(GuardCoverage(runs: $1, firstSeen: 1, lastSeen: 2)), name: $0,
              demangledName: demangled($0), module: "", file: "/src/a.c", line: 1)
          })
      }
      return self.reason("A::~A()", build)
    }
    let (deleting, base) = ("_ZN1AD0Ev", "_ZN1AD2Ev")
    #expect(reason([deleting]) == .replacedDestructor)
    #expect(reason([deleting, base]) == .watched)
    #expect(reason([deleting], isOptimised: false) == .watched)
    #expect(reason([deleting], called: [deleting: 1]) == .called(runs: 1))
    // Compilers count a destructor that they never made.
    #expect(reason(["main"], counters: [base: 0]) == .replacedDestructor)
    #expect(reason([deleting], counters: [base: 0]) == .replacedDestructor)
    #expect(reason([base], counters: [base: 0]) == .counted(runs: 4, isInBinary: true))
    #expect(
      reason(["main"], isOptimised: false, counters: [base: 0])
        == .counted(runs: 4, isInBinary: false))
    let copy = Function(
      code: .copies(of: [0], unknownHost: false), name: base, demangledName: "A::~A()", module: "",
      file: "/src/a.c", line: 1)
    #expect(
      reason(["main"], inlined: [copy], counters: [base: 0])
        == .counted(runs: 4, isInBinary: true))
  }

  @Test func anAccessorOfUnknownPlaceMayBelongToAStoredVariable() {
    let name = "$s1M1SV1xSivg"
    func reason(_ file: String?) -> VerdictReason? {
      let function = Example.function(
        name, demangled: "M.S.x.getter : Swift.Int", module: "M", file: file, size: large)
      return self.reason("M.S.x : Swift.Int", Example.build([function]))
    }
    #expect(reason(nil) == .mergedAccessor)
    #expect(reason("/src/a.swift") == .watched)
  }

  private static let countedSwift = SourceCounters(
    runs: 4,
    [
      Function(
        code: .counted(GuardCoverage()), name: "$s1M1gyyF", demangledName: "M.g() -> ()",
        module: "M", file: "/src/a.swift", line: 1)
    ])

  /// What the source has no body of has no counter, and no place.
  @Test func synthesizedMembersAreTheCompilersOwn() {
    func reason(_ module: String, _ file: String? = nil) -> VerdictReason? {
      let name = "M.App.$main() -> ()"
      let function = Example.function(
        "$s1M3AppV5$mainyyFZ", demangled: name, module: module, file: file, line: 0)
      var build = Example.build([function], isOptimised: true)
      build.counters = Self.countedSwift
      return self.reason(name, build)
    }
    #expect(reason("M") == .compilerGenerated)
    #expect(reason("M", "/src/a.swift") == .compilerGenerated)
    #expect(reason("Other") == .mayBeCopied)
    #expect(reason("M", "/src/uncounted.swift") == .mayBeCopied)
  }

  /// SwiftPM names it after the program, in tests.
  @Test func testsDoNotStartThePrograms() {
    func reason(_ name: String, _ file: String, called: Int = 0) -> VerdictReason? {
      self.reason(
        name, Example.build([Example.function(name, file: file)], called: [name: called]))
    }
    #expect(reason("tool_main", "/src/App.swift") == .mainOfTestedProgram)
    #expect(reason("tool_main", "/src/App.swift", called: 1) == .called(runs: 1))
    #expect(reason("tool_main", "/src/main.c") == .watched)
    #expect(reason("main", "/src/main.swift") == .watched)
  }

  /// Swift compiles the functions of a header that it calls, without counters.
  @Test func aCounterSaysNothingOfAHeadersCodeInSwift() {
    func reason(
      _ file: String, hasSwift: Bool = true, isOptimised: Bool = true,
      _ inlining: NeverCalledRequest.Inlining? = nil
    ) -> VerdictReason? {
      var build = Example.build([], isOptimised: isOptimised)
      let swift = hasSwift ? Self.countedSwift.functions : []
      build.counters = SourceCounters(
        runs: 4, counted(["f": 0], file: file).functions + swift)
      return self.reason("f", build) { $0.inlining = { _ in inlining } }
    }
    let never = VerdictReason.counted(runs: 4, isInBinary: false)
    #expect(reason("/src/a.h") == .uncountedCode)
    #expect(reason("/src/a.c") == never)
    #expect(reason("/src/a.h", hasSwift: false) == never)
    // Without optimisation, Swift's copy has a guard, unless each call is inlined.
    #expect(reason("/src/a.h", isOptimised: false) == never)
    #expect(reason("/src/a.h", isOptimised: false, .mandatory) == .uncountedCode)
  }

  /// Builds without assertions do not evaluate what these hold.
  @Test func anAutoclosuresCounterSaysNothingOfItsFunction() {
    let name = "$s1M1fyyF"
    let closure = "$s1M1fyyFSbyXEfu_"
    var build = Example.build(
      [Example.function(name, demangled: "M.f() -> ()", file: "/src/a.swift")], isOptimised: true)
    build.counters = SourceCounters(
      runs: 1,
      [
        Function(
          code: .counted(GuardCoverage()), name: closure,
          demangledName: "implicit closure #1 () -> Swift.Bool in M.f() -> ()", module: "M",
          file: "/src/a.swift", line: 2)
      ])
    #expect(reason("M.f() -> ()", build) == .mayBeCopied)
  }

  @Test func aCallDecidesBeforeAnythingUnknown() {
    let small = Example.function("f")
    let build = Example.build([small], called: ["f": 3], runs: 100, isOptimised: true)
    #expect(reason("f", build) == .called(runs: 3))
    #expect(reason("f", build) { $0.below = 0.05 } == .below(share: 0.03, threshold: 0.05))
  }

  /// Linkers and compilers merge functions that do the same.
  @Test func namesOfOneAddressShareItsCalls() {
    var both = Example.function("f", size: large)
    both.aliases = ["g.localalias"]
    let functions = [
      both, Example.function("g", size: large),
      Example.function("host", size: large), Example.function("h", size: large),
    ]
    func reasons(_ build: RecordedBuild) -> [VerdictReason?] {
      ["f", "g", "h"].map { reason($0, build) }
    }
    #expect(reasons(Example.build(functions)) == [.watched, .watched, .watched])
    #expect(
      reasons(Example.build(functions, called: ["f": 1]))
        == [.called(runs: 1), .copyInCalledFunction, .watched])
    // What the other function's own address did shows nothing of the shared one.
    #expect(
      reasons(Example.build(functions, called: ["g": 1])) == [.watched, .called(runs: 1), .watched])
    for name in ["f", "g"] {
      let copies = [copy(of: name, into: [2])]
      #expect(
        reasons(Example.build(functions, called: ["host": 1], inlined: copies))
          == [.copyInCalledFunction, .copyInCalledFunction, .watched])
      #expect(
        reasons(Example.build(functions, inlined: copies)) == [.watched, .watched, .watched])
    }
    var attached = Example.build(functions)
    attached.unwatched = [0]
    #expect(reasons(attached) == [.unwatched, .unwatched, .watched])
  }

  /// Only a start shows that a function never ran.
  @Test func windowsWithoutAStartShowWhatWasNotCalledWhileWatched() {
    let functions = [
      Example.function("f", size: large), Example.function("small"), Example.function("main"),
      Example.function("refused", size: large),
    ]
    var build = Example.build(functions)
    (build.withoutStart, build.unwatched) = ([0, 1, 2, 3], [3])
    #expect(reason("f", build) == .notCalledWhileWatched(windows: 1, seconds: nil))
    #expect(reason("main", build) == .unwatched)
    #expect(reason("refused", build) == .unwatched)
    build.build.isOptimised = true
    #expect(reason("small", build)?.verdict == .inlined)
  }

  /// A program that is attached to may be in a function that it entered before.
  @Test func copiesInUnwatchedFunctionsMayHaveRun() {
    let functions = [Example.function("f", size: large), Example.function("host", size: large)]
    var build = Example.build(functions, inlined: [copy(of: "f", into: [1])])
    #expect(reason("f", build) == .watched)
    build.withoutStart = [1]
    #expect(reason("f", build) == .copyMayHaveRun)
  }

  /// Initializers have a copy, so its own guard and that of a closure in it show nothing.
  @Test func initialValuesOfStoredPropertiesMayHaveRun() {
    let property = "M.S.check : (Swift.Int) -> Swift.Bool"
    let value = "variable initialization expression of \(property)"
    let functions = [
      Example.function("$s1M1SV5checkySbSicvpfi", demangled: value, module: "M"),
      Example.function(
        "$s1M1SV5checkySbSicvpfiSbSicfU_",
        demangled: "closure #1 (Swift.Int) -> Swift.Bool in \(value)",
        module: "M"),
    ]
    for left in [functions, [functions[1]]] {
      #expect(reason(property, Example.build(left)) == .copiedInitialValue)
    }
    var counted = Example.build([functions[0]])
    counted.counters = SourceCounters(
      runs: 1,
      [
        Function(
          code: .counted(GuardCoverage()), name: functions[0].name, demangledName: value,
          module: "M", file: "/src/a.c", line: 1)
      ])
    #expect(reason(property, counted) == .compilerGenerated)
    let called = Example.build(functions, called: ["$s1M1SV5checkySbSicvpfiSbSicfU_": 1])
    #expect(reason(property, called) == .called(runs: 1))
    let global = Example.function(
      "$s1M5checkySbSicvpfiSbSicfU_",
      demangled:
        "closure #1 (Swift.Int) -> Swift.Bool in variable initialization expression of M.check : "
        + "(Swift.Int) -> Swift.Bool",
      module: "M")
    #expect(
      reason("M.check : (Swift.Int) -> Swift.Bool", Example.build([global]))
        != .copiedInitialValue)
  }

  /// A fleet may lack the names of its newest build.
  @Test func aBuildWithoutFunctionsShowsNothingOfOthers() throws {
    let known = Example.build([Example.function("f")], called: [:], id: "aa", firstSeen: 100)
    let unnamed = Example.build([], id: "bb", firstSeen: 200)
    let profile = Profile(builds: [known, unnamed])
    let report = try NeverCalledRequest().list(from: profile).report
    #expect(report.functions.map(\.reason) == [.watched])
  }

  @Test func functionsDroppedByTheLinkerAreGone() {
    let build = Example.build([Example.function("f")])
    let found = reason("gone", build) { $0.dropped = [(name: "gone", demangled: "gone")] }
    #expect(found == .notInNewestBuild)
  }

  @Test func whatTheLinkerDroppedOfAVariableIsTheVariable() {
    let build = Example.build([Example.function("f")])
    func found(_ name: String) -> VerdictReason? {
      reason(name, build) {
        $0.dropped = [
          (name: "$s1M1x_WZ", demangled: "one-time initialization function for x"),
          (name: "$s1M1xSivau", demangled: "M.x.unsafeMutableAddressor : Swift.Int"),
        ]
      }
    }
    #expect(found("M.x : Swift.Int") == .notInNewestBuild)
    #expect(found("x") == nil)
  }

  /// The name of an extension's member begins with the extended type's module.
  @Test func aPlaceDecidesWhetherCodeIsTheToolchains() {
    let name = "(extension in M):Swift.Int.f() -> ()"
    func member(file: String?) -> RecordedBuild {
      Example.build([
        Example.function("$sSi1ME1fyyF", demangled: name, module: "Swift", file: file)
      ])
    }
    func isMade(_ builds: [RecordedBuild]) -> Bool {
      let report = DeadCodeReport(
        of: Profile(builds: builds, runs: [Example.run("r")]), for: NeverCalledRequest())
      return report.functions.first?.reason == .compilerGenerated
    }
    #expect(isMade([member(file: nil)]))
    #expect(!isMade([member(file: "/src/a.swift")]))
    #expect(!isMade([member(file: "/src/a.swift"), member(file: nil)]))
  }

  @Test func aCopyInACalledFunctionDecidesBeforeTheGuard() {
    let functions = [
      Example.function("f", size: large), Example.function("host", line: 2, size: large),
    ]
    let copies = [copy(of: "f", into: [1])]
    let called = Example.build(functions, called: ["host": 1], inlined: copies)
    #expect(reason("f", called) == .copyInCalledFunction)
    #expect(reason("f", Example.build(functions, inlined: copies)) == .watched)
    let alone = Example.build([functions[1]], inlined: [copy(of: "f", into: [0])])
    #expect(reason("f", alone) == .copiesOnly)
  }

  /// Control enters a cold part anywhere, and what a copy shares with its caller stays in the hot one.
  @Test func aCopyInAColdPartCountsWithItsFunction() {
    let functions = [
      Example.function("f", size: large), Example.function("host", line: 2, size: large),
      Example.function("host.cold", line: 2, size: large),
    ]
    let copies = [copy(of: "f", into: [2])]
    let called = Example.build(functions, called: ["host": 1], inlined: copies)
    #expect(reason("f", called) == .copyInCalledFunction)
    #expect(reason("f", Example.build(functions, inlined: copies)) == .watched)
  }

  @Test func codeWithoutAGuardIsNoEvidence() {
    let build = Example.build(
      [Example.function("g", size: large)], unguarded: [Example.function("f", line: 9)])
    #expect(reason("f", build) == .unguardedCode)
  }

  @Test func aDeclarationsWordDecidesBeforeItsSize() {
    let swift = Example.function("$s1M1fyyF", demangled: "M.f() -> ()", module: "M")
    let optimisedSwift = Example.build([swift], isOptimised: true)
    #expect(
      reason("M.f() -> ()", optimisedSwift) { $0.inlining = { _ in .never } }
        == .smallAndOptimised(size: 10))
    let optimised = Example.build([Example.function("f")], isOptimised: true)
    #expect(reason("f", optimised) { $0.inlining = { _ in .mandatory } } == .alwaysInlined)
    #expect(
      reason("f", optimised) { $0.inlining = { _ in .whenOptimised } } == .inlinedWhenOptimised)
    let plain = Example.build([Example.function("f")])
    #expect(reason("f", plain) { $0.inlining = { _ in .whenOptimised } } == .watched)
    #expect(reason("f", plain) { $0.inlining = { _ in .evaluated } } == .watched)
  }

  /// Copies call entry hooks, but gcc works calls of `constexpr` functions out.
  @Test func entryHooksSeeWhatADeclarationInlines() {
    var hooked = Example.build([Example.function("f")])
    hooked.build.recorder = .entryHooks
    #expect(reason("f", hooked) { $0.inlining = { _ in .mandatory } } == .watched)
    #expect(reason("f", hooked) { $0.inlining = { _ in .evaluated } } == .evaluatedByCompiler)
  }

  private static let variable = "static M.S.one : Swift.Int"

  /// Accessors of a static variable with an initializer of that size, none of them called.
  private func variable(
    initializer: UInt64?, isSettable: Bool = false, isOptimised: Bool = false,
    architecture: String = "x86_64"
  ) -> RecordedBuild {
    var functions = [
      Example.function(
        "$s1M1SV3oneSivau", demangled: "M.S.one.unsafeMutableAddressor : Swift.Int", size: 25),
      Example.function(
        "$s1M1SV3oneSivgZ", demangled: "static M.S.one.getter : Swift.Int", size: 300),
    ]
    if let initializer {
      functions.append(
        Example.function(
          "$s1M1SV3one_WZ", demangled: "one-time initialization function for one",
          size: initializer))
    }
    if isSettable {
      functions.append(
        Example.function(
          "$s1M1SV3oneSivsZ", demangled: "static M.S.one.setter : Swift.Int", size: 300))
    }
    return Example.build(functions, isOptimised: isOptimised, architecture: architecture)
  }

  /// Sizes as compilers make them: with a guard, with a gated guard, and of one that stores something.
  @Test(arguments: [
    ("x86_64", 18, VerdictReason.readDirectly), ("x86_64", 28, .readDirectly),
    ("x86_64", 42, .watched),
    ("aarch64", 28, .readDirectly), ("aarch64", 44, .readDirectly), ("aarch64", 48, .readDirectly),
    ("aarch64", 60, .watched),
  ])
  func emptyInitializersAreKnownByTheirSize(
    architecture: String, size: UInt64, expected: VerdictReason
  ) {
    let build = variable(initializer: size, architecture: architecture)
    #expect(reason(Self.variable, build) == expected)
  }

  @Test func constantsNeedNoAccessor() {
    #expect(reason(Self.variable, variable(initializer: nil)) == .readDirectly)
    #expect(reason(Self.variable, variable(initializer: 18)) == .readDirectly)
    #expect(reason(Self.variable, variable(initializer: nil, isOptimised: true)) == .readDirectly)
    let global = Example.build([
      Example.function(
        "$s1M5limitSivau", demangled: "M.limit.unsafeMutableAddressor : Swift.Int", size: 25)
    ])
    #expect(reason("M.limit : Swift.Int", global) == .readDirectly)
  }

  @Test func variablesThatCodeInitializesOrSetsAreReadByCalls() {
    #expect(reason(Self.variable, variable(initializer: 54)) == .watched)
    #expect(reason(Self.variable, variable(initializer: nil, isSettable: true)) == .watched)
    #expect(
      reason(Self.variable, variable(initializer: nil, isSettable: true, isOptimised: true))
        == .readDirectly)
    let computed = Example.build([
      Example.function("$s1M1SV3oneSivgZ", demangled: "static M.S.one.getter : Swift.Int")
    ])
    #expect(reason(Self.variable, computed) == .watched)
  }

  /// Compilers of C remove calls that have no effect, whatever an attribute says of copies.
  @Test func aNeverFunctionOfCIsUnknownIfItIsSmall() {
    func reason(_ size: UInt64, isOptimised: Bool) -> VerdictReason? {
      let build = Example.build([Example.function("f", size: size)], isOptimised: isOptimised)
      return self.reason("f", build) { $0.inlining = { _ in .never } }
    }
    #expect(reason(10, isOptimised: true) == .smallAndOptimised(size: 10))
    #expect(reason(64, isOptimised: true) == .neverInlined)
    #expect(reason(10, isOptimised: false) == .neverInlined)
  }

  @Test func sizesOfSmallFunctionsAreShown() {
    let small = Example.build([Example.function("f", size: 26)], isOptimised: true)
    #expect(reason("f", small) == .smallAndOptimised(size: 26))
    let limit = Example.build([Example.function("f", size: 64)], isOptimised: true)
    #expect(reason("f", limit) == .watched)
  }

  /// A copy may lie in a shared body (`...Tm`), which has no inline records.
  @Test func optimisedSwiftOfAnySizeMayHaveCopies() {
    let function = Example.function(
      "$s1M1fyyF", demangled: "M.f() -> ()", module: "M", size: large)
    #expect(reason("M.f() -> ()", Example.build([function], isOptimised: true)) == .mayBeCopied)
    #expect(reason("M.f() -> ()", Example.build([function])) == .watched)
  }

  @Test func piecesWithoutTheirFunctionMayHaveCopies() {
    let argument = Example.function(
      "$s1M1fyySiFfA_", demangled: "default argument 0 of M.f(Swift.Int) -> ()", size: 30)
    let name = "default argument 0 of M.f(Swift.Int) -> ()"
    #expect(
      reason(name, Example.build([argument], isOptimised: true))
        == .mayBeCopied)
    #expect(reason(name, Example.build([argument])) == .watched)
  }

  @Test func withoutDebugInformationNothingIsClaimed() {
    let unknown = Example.function("f", file: nil, size: large)
    let without = Example.build([unknown], hasDebugInfo: false)
    #expect(reason("f", without) == .noDebugInformation)
    #expect(reason("f", without) { $0.inlining = { _ in .never } } == .neverInlined)
    let called = Example.build([unknown], called: ["f": 1], hasDebugInfo: false)
    #expect(reason("f", called) == .called(runs: 1))
    let known = Example.function("g", line: 2, size: large)
    // One object file of a program has none.
    let mixed = Example.build([unknown, known])
    #expect(reason("f", mixed) == .noDebugInformation)
    #expect(reason("g", mixed) == .watched)
  }

  /// Swift's compiler describes all functions of a module but those that it merged.
  @Test func mergedSwiftFunctionsNeedNoPlace() {
    let merged = Example.function(
      "$s1M1gSiyF", demangled: "M.g() -> Swift.Int", module: "M", file: nil, size: large)
    let name = "M.g() -> Swift.Int"
    #expect(reason(name, Example.build([merged])) == .watched)
    #expect(reason(name, Example.build([merged], hasDebugInfo: false)) == .noDebugInformation)
  }

  @Test func whatIsKeptWasNeverCalled() {
    let build = Example.build([Example.function("f", size: large)])
    #expect(reason("f", build) { $0.keepReason = { _ in "plugin" } } == .kept)
  }

  @Test func theColdPartOfAMergedFunctionBelongsToItsCode() {
    var whole = Example.function("g", line: 2, size: large)
    whole.aliases = ["f"]
    let cold = Example.function("f.cold", size: large)
    let build = Example.build([whole, cold], called: ["g": 1])
    #expect(reason("g", build) == .called(runs: 1))
    #expect(reason("f", build) == nil)
  }
}
