import ReferenceIndex
import TestSupport
import Testing

@testable import NeverCalled
@testable import Pruning

/// A patch says which static functions and variables nothing uses any more.
@Suite(.tags(.compiler)) struct UnusedStaticTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private static let source = """
    static int helper(int x) { return x; }
    static int count;
    static int shared(int x) { return x; }
    int visible(int x) { return x; }
    int gone(int x) { count++; return helper(x) + shared(x) + visible(x); }
    int live(int x) { return shared(x); }

    """

  /// - Parameter usr: by name; nil gives names of a linker.
  private func unused(_ usr: ((String) -> String)?) throws -> [String] {
    let file = try directory.write(Self.source, to: "a.c")
    var builder = ReferenceIndexBuilder()
    let number = builder.file(file, module: "")
    var symbols: [String: Int] = [:]
    for (name, line) in [
      ("helper", 1), ("count", 2), ("shared", 3), ("visible", 4), ("gone", 5), ("live", 6),
    ] {
      let added = builder.symbol(
        usr: usr?(name) ?? "l:\(name)", name: name,
        IndexSymbolTraits(
          kind: name == "count" ? .variable : .function, language: .c, access: .internal,
          isUnitTest: false))
      let symbol = try #require(added)
      builder.define(symbol, file: number, line: line)
      symbols[name] = symbol
    }
    for (target, container) in [
      ("helper", "gone"), ("count", "gone"), ("shared", "gone"), ("visible", "gone"),
      ("shared", "live"),
    ] {
      builder.refer(
        to: try #require(symbols[target]), from: symbols[container], file: number, line: 5)
    }
    let gone = try #require(symbols["gone"])
    let candidate = PruneCandidate(
      name: "gone", symbol: gone,
      definition: .init(file: file, target: DeclarationTarget(name: "gone", line: 5)))
    let plan = PrunePlan(
      [candidate], sources: PruneSources(root: directory.url.path), index: builder.build())
    let patch = plan.patch(of: [0])
    #expect(patch.removed == [0])
    return patch.unused
  }

  @Test func staticsThatOnlyRemovedFunctionsUseAreNamed() throws {
    let found = try unused {
      ["visible", "gone", "live"].contains($0) ? "c:@F@\($0)" : "c:a.c@\($0)"
    }
    #expect(found == ["helper (a.c:1)", "count (a.c:2)"])
  }

  /// A linker's names do not show what is static; clang does.
  @Test func ofLinkedReferencesFunctionsAreNamed() throws {
    #expect(try unused(nil) == ["helper (a.c:1)"])
  }
}
