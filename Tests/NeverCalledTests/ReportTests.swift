import FirstlightModel
import Testing

@testable import NeverCalled

/// Several builds, what the linker dropped, what is kept, filters.
@Suite struct ReportTests {
  @Test func versionsMergeByName() {
    let old = Example.build(
      [
        Example.function("kept"), Example.function("gone", line: 2),
        Example.function("since", line: 3),
      ], called: ["kept": 3, "since": 3], runs: 3, id: "aa", firstSeen: 100)
    let new = Example.build(
      [Example.function("kept", line: 5), Example.function("since", line: 8)],
      called: ["kept": 2], runs: 2, id: "bb", firstSeen: 200)
    let result = Example.report([old, new])
    let byName = Dictionary(uniqueKeysWithValues: result.functions.map { ($0.name, $0) })
    #expect(byName["kept"]?.calledRuns == 5 && byName["kept"]?.watchedRuns == 5)
    #expect(byName["kept"]?.unusedSince == nil)
    // The newest build says where it is now.
    #expect(byName["kept"]?.line == 5)
    #expect(byName["gone"]?.verdict == .dropped)
    let since = byName["since"]?.unusedSince
    #expect(since.map { result.observation.versions[$0].buildID } == "bb")
    #expect(result.unused.map(\.name) == ["since"])
  }

  /// A fleet may have runs with guards and watched ones.
  @Test func twoRecordersOfOneBuildAreOneVersion() {
    let guarded = Example.build([Example.function("f")], called: ["f": 3], runs: 3, firstSeen: 100)
    var watched = Example.build([Example.function("f")], runs: 2, firstSeen: 200)
    watched.build.recorder = .breakpoints
    let result = Example.report([guarded, watched])
    #expect(result.functions.map(\.verdict) == [.called])
    #expect(result.functions.map(\.unusedSince) == [nil])
  }

  /// GCC numbers them; copies of one function have numbers, too, but its line.
  @Test func nestedFunctionsOfOneNameAreApart() {
    let functions = [
      Example.function("inner.0", line: 4, isLocal: true),
      Example.function("inner.1", line: 7, isLocal: true),
      Example.function("copied", line: 9), Example.function("copied.constprop.0", line: 9),
    ]
    let result = Example.report([Example.build(functions, called: ["inner.0": 1])])
    let shown = result.functions.map { "\($0.name) \($0.line) \($0.verdict.rawValue)" }
    #expect(shown.sorted() == ["copied 9 never called", "inner 4 called", "inner 7 never called"])
    #expect(Set(result.functions.map(\.identity)).count == 3)
  }

  @Test func theLinkersListTellsWhatItDropped() {
    let text = """
      ld.lld: removing unused section a.o:(.text.lost)
      /usr/bin/ld: removing unused section '.text.unlikely.gone' in file 'b.o'
      ld.gold: removing unused section from '.text.main' in file 'c.o'
      something else
      """
    #expect(LinkerDrops.names(text) == ["lost", "gone", "main"])
    var request = NeverCalledRequest()
    request.dropped = [("lost", "lost")]
    let result = Example.report([Example.build([Example.function("f")])], request)
    #expect(result.functions.first { $0.name == "lost" }?.verdict == .dropped)
  }

  @Test func keptFunctionsAreNoRows() {
    var request = NeverCalledRequest()
    request.keepReason = { $0.name.hasPrefix("k") ? "by name" : nil }
    let functions = [
      Example.function("k_never", line: 1), Example.function("k_called", line: 2),
      Example.function("never", line: 3),
    ]
    let result = Example.report([Example.build(functions, called: ["k_called": 1])], request)
    #expect(result.functions.map(\.verdict) == [.kept, .called, .neverCalled])
    #expect(result.functions.filter(\.isStaleKeep).map(\.name) == ["k_called"])
    #expect(result.listed.map(\.name) == ["never"])
  }

  @Test func theFilterLeavesTheSumsWhole() {
    var request = NeverCalledRequest()
    (request.modules, request.paths, request.folder) = (["M*"], ["b.swift", "d.swift"], "/src")
    request.excluded = ["/src/d*"]
    let functions = [
      Example.function("$s1M1fyyF", demangled: "M.f() -> ()", module: "M", file: "/src/b.swift"),
      Example.function("$s1M1gyyF", demangled: "M.g() -> ()", module: "M", file: "/src/c.swift"),
      Example.function("c"),
    ]
    let result = Example.report([Example.build(functions)], request)
    #expect(result.functions.map(\.name) == ["M.f() -> ()"])
    #expect(result.sums.outside == 2)
  }
}
