import Testing

@testable import NeverCalled
@testable import Pruning

/// Which removals errors of compilers and linkers name.
@Suite struct FailureCulpritTests {
  private static let candidates = [
    ("Ware.price(of:)", "price(of:)", "$s4Shop4WareV5price2ofS2i_tF"),
    ("Ware.init(a:)", "init(a:)", ""),
    ("Ware.half", "half", ""), ("helper", "helper", "helper"), ("Tools.tool()", "tool()", ""),
    ("Ware.price(at:)", "price(at:)", ""),
  ].map { name, target, mangled in
    PruneCandidate(
      name: name, mangledName: mangled,
      definition: .init(file: "/a.swift", target: DeclarationTarget(name: target, line: 1)))
  }

  private func culprits(_ lines: String...) -> Set<Int> {
    let all = Set(Self.candidates.indices)
    return Set(FailureCulprits(Self.candidates, removed: all).find(in: lines).keys)
  }

  @Test func namesInErrors() {
    #expect(culprits("a.swift:1:2: error: value of type 'Ware' has no member 'half'") == [2])
    #expect(culprits("a.swift:1:2: error: cannot find 'helper' in scope") == [3])
    #expect(culprits("a.c:1:2: error: call to undeclared function 'helper'; ISO C99") == [3])
    #expect(culprits("a.swift:1:2: error: value of type 'Ware' has no member 'price'") == [0, 5])
    #expect(culprits("a.swift:1:2: error: no member 'price(of:)'") == [0])
  }

  @Test func namesInNotesOfErrors() {
    #expect(
      culprits(
        "a.swift:1:2: error: type 'Shop' does not conform to protocol 'P'",
        "b.swift:1:2: note: protocol requires property 'half' with type 'Int'") == [2])
    #expect(
      culprits("a.swift:1:2: warning: unused", "b.swift:1:2: note: add 'half'").isEmpty)
  }

  @Test func initializersByTheirType() {
    #expect(culprits("a.swift:1:2: error: 'Ware' cannot be constructed") == [1])
  }

  @Test func emptiedTypesByTheirName() {
    #expect(culprits("a.swift:1:2: error: cannot find 'Tools' in scope") == [4])
  }

  @Test func whatLinkersMiss() {
    #expect(
      culprits("/usr/bin/ld: a.o: in function `f': a.c:3: undefined reference to `helper'") == [3])
    #expect(culprits("ld.lld: error: undefined symbol: helper") == [3])
    #expect(
      culprits("error: undefined reference to '$s4Shop4WareV5price2ofS2i_tF'") == [0])
  }

  @Test func linesThatNameNothing() {
    #expect(culprits("error: Exited with unexpected signal code 11", "1 test failed").isEmpty)
    #expect(culprits("the 'half' of it").isEmpty)
  }
}
