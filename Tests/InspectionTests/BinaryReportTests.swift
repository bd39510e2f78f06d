import FirstlightModel
import Inspection
import Testing

@Suite struct BinaryReportTests {
  static func section(
    _ name: String, at offset: UInt64, _ size: UInt64, code: Bool = false, isLoaded: Bool = true
  ) -> BinarySection {
    BinarySection(
      name: name, address: offset, offset: offset, size: size, isLoaded: isLoaded,
      isWritable: false, isExecutable: code, isInFile: true)
  }

  static func facts(
    _ sections: [BinarySection], _ relocations: RelocationFacts = .init(),
    instrumentation: [Instrumentation] = []
  ) -> BinaryFacts {
    BinaryFacts(
      path: "p", buildID: nil, kind: .executable, architecture: "x86_64", fileSize: 1 << 20,
      isPositionIndependent: true, interpreter: nil, sections: sections, dynamic: .init(),
      relocations: relocations, initializers: [], guardCount: 0, instrumentation: instrumentation,
      functionStarts: [])
  }

  private static func relocations(packed: Int) -> RelocationFacts {
    var relocations = RelocationFacts()
    relocations.tables = [.init(name: ".rela.dyn", bytes: 24 * 1000, count: 1000)]
    relocations.counts = ["R_X86_64_RELATIVE": 1000]
    relocations.packed = packed
    relocations.dirtiedPages = [".data.rel.ro": 2]
    relocations.dirtiedPagesInAll = 2
    return relocations
  }

  @Test func theWorstComesFirstAndDiskSpaceLast() {
    let account = BinaryReport(
      Self.facts(
        [
          Self.section(".rela.dyn", at: 0x1000, 24 * 1000),
          Self.section(".text", at: 0x10000, 0x100000, code: true),
          Self.section(".debug_info", at: 0x200000, 5000, isLoaded: false),
        ], Self.relocations(packed: 0),
        instrumentation: [Instrumentation(place: "__sancov_guards", source: "guards")]),
      libraries: [], input: nil)
    #expect(
      account.findings.map(\.topic) == [
        .instrumentation, .text, .relocations, .positionIndependence, .ownSections, .debugInfo,
      ])
    // 24,000 bytes from 0x1000 on lie in 6 pages; 2 more are written to.
    #expect(account.findings.first { $0.topic == .relocations }?.cost == .always(8))
    #expect(account.findings.first { $0.topic == .text }?.cost == .upTo(256))
    #expect(account.findings.last?.cost == .disk(5000))
  }

  @Test func packingIsAdvisedWhereThereIsSomethingToPack() {
    func advice(_ relocations: RelocationFacts) -> String? {
      BinaryReport(Self.facts([], relocations), libraries: [], input: nil).findings
        .first { $0.topic == .relocations }?.advice
    }
    #expect(advice(Self.relocations(packed: 0))?.contains("pack-relative-relocs") == true)
    #expect(advice(Self.relocations(packed: 1000))?.contains("nothing left to pack") == true)
    #expect(advice(RelocationFacts()) == nil)
  }
}
