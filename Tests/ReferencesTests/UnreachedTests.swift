import ReferenceIndex
import Testing

@testable import References

/// Which functions cannot have run, since nothing that may have run refers to them.
@Suite struct UnreachedTests {
  /// Whether the candidates among the subjects of a source cannot have run.
  private func unreached(_ source: Source, _ candidates: [String]) -> [String] {
    let found = UnreachedFunctions(
      candidates.map(source.number),
      in: ReferenceClassifier(source.subjects, in: source.index, options: source.options))
    return candidates.filter { found.contains(source.number($0)) }
  }

  @Test func functionsWithoutAReferenceAre() {
    var source = Source()
    source.function("f")
    #expect(unreached(source, ["f"]) == ["f"])
  }

  @Test(arguments: [ReferenceSubject.Evidence.called, .unknown])
  func referencesFromCodeThatMayHaveRunCount(evidence: ReferenceSubject.Evidence) {
    var source = Source()
    let f = source.function("f")
    source.refer(to: f, from: source.function("caller", evidence))
    #expect(unreached(source, ["f"]) == [])
  }

  @Test func referencesFromTestsCountAndThoseOutsideOfFunctions() {
    var source = Source()
    source.refer(to: source.function("f"), from: nil, file: Source.tests)
    source.refer(to: source.function("g"), from: nil)
    #expect(unreached(source, ["f", "g"]) == [])
  }

  /// `f` and `g` call each other, `h` is called by them, and `dead` calls all.
  @Test func whatOnlyNeverCalledFunctionsReferToIs() {
    var source = Source()
    let (f, g, h) = (source.function("f"), source.function("g"), source.function("h"))
    let dead = source.function("dead")
    for (target, caller) in [(f, g), (g, f), (h, f), (f, dead), (g, dead), (h, dead)] {
      source.refer(to: target, from: caller)
    }
    #expect(unreached(source, ["f", "g", "h"]) == ["f", "g", "h"])
    source.refer(to: g, from: source.function("caller", .called))
    #expect(unreached(source, ["f", "g", "h"]) == [])
  }

  @Test func aCallOfTheRequirementMayBeACallOfTheFunction() {
    var source = Source()
    let f = source.function("f", kind: .instanceMethod)
    let requirement = source.declare("P.f", .instanceMethod)
    source.relate(f, .overrideOf, requirement)
    #expect(unreached(source, ["f"]) == ["f"])
    source.refer(to: requirement, from: source.function("caller", .called))
    #expect(unreached(source, ["f"]) == [])
  }

  @Test func requirementsOfLibrariesMayBeCalled() {
    var source = Source()
    let f = source.function("f", kind: .instanceMethod)
    source.relate(f, .overrideOf, source.declare("hash(into:)", .instanceMethod, file: nil))
    #expect(unreached(source, ["f"]) == [])
  }

  @Test func whatIsCalledWithoutItsNameMayHaveRun() {
    var source = Source()
    source.function("deinit", kind: .destructor)
    source.function("buildBlock(_:)", kind: .staticMethod)
    source.function("main", reachedByName: .entryPoint)
    source.function("template", language: .cxx)
    source.function("exported", reachedByName: .exported)
    source.ask("macro", ReferenceSubject(join: .unknown(.notDefined), evidence: .neverCalled))
    let all = ["deinit", "buildBlock(_:)", "main", "template", "exported", "macro"]
    // Other binaries call the function's own code.
    #expect(unreached(source, all) == ["exported"])
  }

  @Test func codeThatTheBuildLeftOutMayBeInAnotherBuild() {
    var source = Source()
    let f = source.function("f")
    source.ask(
      "f",
      ReferenceSubject(
        join: .symbol(f), evidence: .neverCalled, named: .init(file: "/a", line: 1)))
    #expect(unreached(source, ["f"]) == [])
  }
}
