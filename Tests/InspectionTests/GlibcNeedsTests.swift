import FirstlightModel
import Inspection
import Testing

@Suite struct GlibcNeedsTests {
  private func needs(_ versions: [(String, String)], isPacked: Bool = false) -> GlibcNeeds? {
    var facts = BinaryReportTests.facts([])
    facts.dynamic.references = versions.map {
      SymbolReference(name: $0, version: $1, isWeak: false, isUndefined: true, uses: .call)
    }
    facts.dynamic.hasPackedRelocations = isPacked
    return GlibcNeeds(facts)
  }

  private let symbols = [
    ("memcpy", "GLIBC_2.14"), ("fcntl", "GLIBC_2.28"), ("free", "GLIBC_2.2.5"),
    ("dlsym", "GLIBC_2.4"), ("unwind", "GCC_3.0"), ("own", ""), ("fork", "GLIBC_PRIVATE"),
  ]

  @Test func theNewestVersionDecides() {
    let needs = self.needs(symbols)
    #expect(needs?.version == GlibcVersion(2, 28) && needs?.reasons == ["fcntl"])
    #expect(needs?.unpacked == GlibcVersion(2, 28))
  }

  @Test func packedRelocationsNeedTheirOwn() {
    let packed = needs(symbols, isPacked: true)
    #expect(packed?.version == .packedRelocations && packed?.reasons == ["packed relocations"])
    #expect(packed?.unpacked == GlibcVersion(2, 28))
    #expect(needs(symbols + [("new", "GLIBC_2.38")], isPacked: true)?.reasons == ["new"])
  }

  @Test func aProgramWithoutGlibcNeedsNone() {
    #expect(needs([("puts", "")], isPacked: true) == nil)
  }

  @Test func whatATargetLacksIsSaid() throws {
    let needs = try #require(self.needs(symbols))
    try needs.check(on: GlibcVersion(2, 28), path: "app")
    let failure = #expect(throws: Failure.self) {
      try needs.check(on: GlibcVersion(2, 17), path: "app")
    }
    #expect(failure?.kind == .data)
    #expect(failure?.problem == "app: needs glibc 2.28 (for fcntl), and the target has 2.17")
  }
}
