import FirstlightModel
import Testing

@testable import NeverCalled

/// One verdict for each function, and sums that add up.
@Suite struct VerdictTests {
  private func verdict(_ report: DeadCodeReport, _ name: String) -> Verdict? {
    report.functions.first { $0.name == name }?.verdict
  }

  private func inlined(into hosts: [UInt32], unwatched: Bool = false) -> Function {
    Function(
      code: .copies(of: hosts, unknownHost: unwatched), name: "small", demangledName: "small",
      module: "", file: "/src/a.c", line: 1)
  }

  @Test func aPieceMakesItsFunctionCalled() {
    let parent = Example.function("$s1M1fyyF", demangled: "M.f() -> ()", module: "M")
    let closure = Example.function(
      "$s1M1fyyFyycfU_", demangled: "closure #1 () -> () in M.f() -> ()", module: "M")
    let called = Example.report([Example.build([parent, closure], called: [closure.name: 1])])
    #expect(called.functions.map(\.verdict) == [.called])
    #expect(called.sums.guardVerdicts == [.called: 1, .folded: 1])
    let never = Example.report([Example.build([parent, closure])])
    #expect(never.functions.map(\.verdict) == [.neverCalled])
    #expect(never.functions[0].bytes == 20)
    #expect(never.functions[0].mangledName == parent.name)
  }

  @Test func accessorsOfALocalVariableAreOne() {
    func accessor(_ suffix: String, _ word: String) -> Function {
      Example.function(
        "$s1M1fyyF1xL_Si\(suffix)", demangled: "\(word) of x #1 : Swift.Int in M.f() -> ()",
        module: "M")
    }
    let accessors = [accessor("vg", "getter"), accessor("vs", "setter"), accessor("vW", "didset")]
    let called = Example.report([Example.build(accessors, called: [accessors[1].name: 1])])
    #expect(called.functions.map(\.name) == ["x #1 : Swift.Int in M.f() -> ()"])
    #expect(called.functions.map(\.verdict) == [.called])
    #expect(called.functions.map(\.shortName) == ["x in f()"])
  }

  /// A case of an enum is no function, but its default arguments are.
  @Test func defaultArgumentsAloneAreNamedSo() {
    let two = "M.E.two(M.E.Type) -> (Swift.Int, Swift.Int) -> M.E"
    func argument(_ number: Int) -> Function {
      Example.function(
        "$s1M1EO3twoyACSi_SitcACmFfA\(number == 0 ? "" : "\(number - 1)")_",
        demangled: "default argument \(number) of \(two)", module: "M")
    }
    let first = Example.report([Example.build([argument(0)])])
    #expect(first.functions.map(\.name) == ["default argument 0 of \(two)"])
    #expect(first.functions.map(\.shortName) == ["default argument 0 of E.two(_:)"])
    #expect(first.functions.map(\.verdict) == [.neverCalled])
    let eleventh = Example.report([Example.build([argument(11)])])
    #expect(eleventh.functions.map(\.name) == ["default argument 11 of \(two)"])
    let both = Example.report([Example.build([argument(0), argument(1)])])
    #expect(both.functions.map(\.name) == ["default arguments of \(two)"])
    let function = Example.function("$s1M1EO3twoyyF", demangled: two, module: "M")
    #expect(
      Example.report([Example.build([function, argument(0)])]).functions.map(\.name) == [two])
  }

  @Test func localFunctionsOfOneNameStayApart() {
    var recorded = Example.build([
      Example.function("helper", file: "/src/a.c", isLocal: true),
      Example.function("helper", file: "/src/b.c", isLocal: true),
    ])
    recorded.coverage[0] = GuardCoverage(runs: 1, firstSeen: 1, lastSeen: 1)
    let result = Example.report([recorded])
    #expect(result.functions.map(\.verdict) == [.called, .neverCalled])
    #expect(Set(result.functions.map(\.identity)).count == 2)
  }

  @Test func copiesOfAHeadersFunctionAreOne() {
    let copy = Example.function("inline_one", file: "/src/a.h", isLocal: true)
    var recorded = Example.build([copy, copy])
    recorded.coverage[1] = GuardCoverage(runs: 1, firstSeen: 1, lastSeen: 1)
    let result = Example.report([recorded])
    #expect(result.functions.map(\.verdict) == [.called])
    #expect(result.sums.guardVerdicts == [.called: 1, .folded: 1])
  }

  @Test func templatesOfOneSourceAreOne() {
    let functions = [
      Example.function("_Z3maxIiET_S0_S0_", demangled: "int max<int>(int, int)", line: 7),
      Example.function("_Z3maxIcET_S0_S0_", demangled: "char max<char>(char, char)", line: 7),
      Example.function("_Z3maxIcET_S0_", demangled: "char max<char>(char)", line: 9),
    ]
    let result = Example.report([Example.build(functions, called: [functions[1].name: 1])])
    #expect(result.functions.map(\.verdict) == [.called, .neverCalled])
  }

  /// Its owner's name has no result, and its line is no other overload's.
  @Test func aLambdaBelongsToItsTemplate() {
    let pair = "std::pair<long, char>"
    let functions = [
      Example.function(
        "_Z5applyIiEiT_i", demangled: "int apply<int>(int, int)", line: 2),
      Example.function(
        "_ZZ5applyISt4pairIlcEEiT_iENKUliE_clEi",
        demangled: "apply<\(pair) >(\(pair), int)::{lambda(int)#1}::operator()(int) const",
        line: 3),
      Example.function("_Z3keyI1ATniEiT_", line: 12),
      Example.function("_ZZ3keyI1ATniEiT_ENKUliE_clEi", line: 13),
    ]
    let called = [functions[0].name: 1, functions[2].name: 1]
    let result = Example.report([Example.build(functions, called: called)])
    #expect(result.functions.map(\.verdict) == [.called, .called])
  }

  /// Optimizers leave copies alone, of which counters tell.
  @Test func overloadsOfATemplateStayApart() {
    func cast(_ parameters: String, _ line: Int) -> Function {
      Function(
        code: .copies(of: [0], unknownHost: false), name: "_Z4castIiEiT_\(line)",
        demangledName: "int cast<int>(int, \(parameters))", module: "", file: "/src/a.c", line: line
      )
    }
    let copies = [cast("long", 1), cast("double", 4)]
    var build = Example.build(
      [Example.function("main", line: 9)], called: ["main": 1], inlined: copies, isOptimised: true)
    build.counters = SourceCounters(
      runs: 1,
      copies.enumerated().map { index, copy in
        Function(
          code: .counted(
            index == 0 ? GuardCoverage(runs: 1, firstSeen: 1, lastSeen: 1) : GuardCoverage()),
          name: copy.name, demangledName: copy.demangledName, module: "", file: "/src/a.c",
          line: copy.line)
      })
    let result = Example.report([build])
    #expect(verdict(result, "int cast<int>(int, long)") == .called)
    #expect(verdict(result, "int cast<int>(int, double)") == .neverCalled)
  }

  @Test func functionsThatMayHaveBeenInlinedAreNotListed() {
    let functions = [
      Example.function("small", size: 900), Example.function("called", line: 2, size: 900),
      Example.function("never", line: 3, size: 900),
    ]
    func verdictOfSmall(_ copy: Function) -> Verdict? {
      verdict(
        Example.report([Example.build(functions, called: ["called": 1], inlined: [copy])]), "small")
    }
    #expect(verdictOfSmall(inlined(into: [1])) == .inlined)
    // Its only copies are in what never ran.
    #expect(verdictOfSmall(inlined(into: [2])) == .neverCalled)
    #expect(verdictOfSmall(inlined(into: [], unwatched: true)) == .inlined)
    // Nothing left of its own.
    let gone = Example.report([
      Example.build(Array(functions.dropFirst()), inlined: [inlined(into: [1])])
    ])
    #expect(verdict(gone, "small") == .inlined)
    #expect(gone.sums.withoutGuard == [.inlined: 1])
  }

  @Test func functionsOfOptimisedSwiftBuildsCanVanish() {
    let small = Example.function("$s1M1gSiyF", demangled: "M.g() -> Swift.Int", module: "M")
    let large = Example.function(
      "$s1M1hSiyF", demangled: "M.h() -> Swift.Int", module: "M", size: 4000)
    let optimised = Example.report([Example.build([small, large], isOptimised: true)])
    #expect(verdict(optimised, "M.g() -> Swift.Int") == .inlined)
    #expect(verdict(optimised, "M.h() -> Swift.Int") == .inlined)
    let plain = Example.report([Example.build([small, large])])
    #expect(verdict(plain, "M.g() -> Swift.Int") == .neverCalled)
    var request = NeverCalledRequest()
    request.inlining = { _ in .never }
    let told = Example.report([Example.build([small, large], isOptimised: true)], request)
    // Its calls may be gone, too.
    #expect(verdict(told, "M.g() -> Swift.Int") == .inlined)
    #expect(verdict(told, "M.h() -> Swift.Int") == .neverCalled)
  }

  @Test func codeWithoutGuardIsNotInstrumented() {
    let result = Example.report([
      Example.build([Example.function("f")], unguarded: [Example.function("g", line: 9)])
    ])
    #expect(verdict(result, "g") == .notInstrumented)
    #expect(result.sums.withoutGuard == [.notInstrumented: 1])
  }

  @Test func oneShareOfTheRunsIsTheThreshold() {
    var request = NeverCalledRequest()
    request.below = 0.05
    let functions = [Example.function("rare", line: 1), Example.function("often", line: 2)]
    let result = Example.report(
      [Example.build(functions, called: ["rare": 4, "often": 5], runs: 100)], request)
    #expect(result.functions.map(\.verdict) == [.belowThreshold, .called])
    #expect(result.functions[0].runShare == 0.04)
  }
}
