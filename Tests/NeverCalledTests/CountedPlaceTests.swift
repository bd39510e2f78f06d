import FirstlightModel
import Testing

@testable import NeverCalled

/// Counters and the functions of binaries, joined although their files differ.
@Suite struct CountedPlaceTests {
  private func counted(
    _ name: String, demangled: String? = nil, _ file: String, line: Int = 7, runs: Int = 0,
    isLocal: Bool = false
  ) -> Function {
    Function(
      code: .counted(GuardCoverage(runs: runs, firstSeen: Double(runs), lastSeen: Double(runs))),
      name: name, demangledName: demangled ?? name, module: "", file: file, line: line,
      isLocal: isLocal)
  }

  private func build(
    _ id: String, _ functions: [Function], _ counters: [Function]
  ) -> RecordedBuild {
    var build = Example.build(functions, id: id, isOptimised: true)
    build.counters = SourceCounters(runs: 1, counters)
    return build
  }

  private func verdicts(_ builds: RecordedBuild...) -> [String] {
    DeadCodeReport(of: Profile(builds: builds, runs: [Example.run("r")])).functions
      .map { "\($0.name) \($0.file ?? "") \($0.verdict.rawValue)" }.sorted()
  }

  /// The declaration is in a header, and another program lacks the method's code.
  @Test func aMethodIsOneFunctionInAllBuilds() {
    let method = Example.function("_ZN1A1fEv", file: "/s/a.h", line: 3)
    #expect(
      verdicts(
        build("aa", [method], [counted("_ZN1A1fEv", "/s/a.cpp", runs: 1)]),
        build("bb", [], [counted("_ZN1A1fEv", "/s/a.cpp")])) == ["_ZN1A1fEv /s/a.h called"])
  }

  @Test func copiesOfAHeaderAreOneFile() {
    let inline = Example.function("f", file: "/b/include/h.h", line: 7)
    #expect(
      verdicts(
        build(
          "aa", [inline],
          [
            counted("f", "/b/include/h.h", runs: 1, isLocal: true),
            counted("f", "/s/h.h", isLocal: true),
          ]),
        build("bb", [], [counted("f", "/s/h.h", isLocal: true)])) == ["f /b/include/h.h called"])
  }

  /// Debug information has the place that `#line` gives, a coverage mapping that in the file.
  @Test(arguments: [true, false]) func aLineDirectiveMakesNoSecondFunction(isLocal: Bool) {
    let parse = Example.function("parse", file: "/s/gram.y", line: 2)
    let counter = counted("parse", "/s/p.c", line: 400, runs: 1, isLocal: isLocal)
    #expect(verdicts(build("aa", [parse], [counter])) == ["parse /s/gram.y called"])
    let other = counted("parse", "/s/q.c", isLocal: true)
    #expect(verdicts(build("aa", [parse], [counter, other])).count == 3)
  }

  /// One name of an aliased function has the counter, another the code.
  @Test func anAliasIsNoSecondFunction() {
    var whole = Example.function("weak_h", file: "/s/a.c", line: 4)
    whole.aliases = ["h"]
    let counter = counted("h", "/s/a.c", line: 4, isLocal: true)
    #expect(verdicts(build("aa", [whole], [counter])) == ["weak_h /s/a.c never called"])
    // Functions that a linker merged have a counter each.
    let both = [counter, counted("weak_h", "/s/a.c", line: 9, runs: 1)]
    #expect(
      verdicts(build("aa", [whole], both)) == ["h /s/a.c never called", "weak_h /s/a.c called"])
  }

  @Test func localFunctionsOfTwoFilesStayApart() {
    let counters = ["/s/x.c", "/s/y.c"].map { counted("helper", $0, isLocal: true) }
    #expect(
      verdicts(build("aa", [], counters))
        == ["helper /s/x.c never called", "helper /s/y.c never called"])
  }

  /// Without debug information, and of `@_transparent` functions, for example.
  @Test func aCounterGivesAPlace() {
    let c = Example.function("f", file: nil, line: 0)
    #expect(
      verdicts(build("aa", [c], [counted("f", "/s/x.c")])) == ["f /s/x.c never called"])
    let name = "$s1M1fyyF"
    let demangled = "M.f() -> ()"
    let swift = Example.function(
      name, demangled: demangled, file: nil, line: 0, isCompilerGenerated: true)
    #expect(
      verdicts(build("aa", [swift], [counted(name, demangled: demangled, "/s/x.swift")]))
        == ["M.f() -> () /s/x.swift never called"])
  }
}
