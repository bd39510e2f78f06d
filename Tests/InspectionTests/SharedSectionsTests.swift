import FirstlightModel
import Inspection
import Testing

@Suite struct SharedSectionsTests {
  private func section(
    _ range: Range<UInt64>, _ file: String, _ name: String = ".text"
  ) -> InputSection {
    InputSection(addresses: range, file: file, name: name)
  }

  @Test func sectionsWithSeveralFunctionsAreSummedByFile() {
    let sections = [
      section(0x100..<0x140, "a.a(x.o)"), section(0x140..<0x160, "a.a(y.o)"),
      section(0x160..<0x170, "z.o", ".text.f"), section(0x170..<0x1a0, "w.o", ".text.startup"),
      section(0x900..<0x930, "data.o"),
    ]
    let code = BinarySection(
      name: ".text", address: 0x100, offset: 0, size: 0x100, isLoaded: true, isWritable: false,
      isExecutable: true, isInFile: true)
    let unsplit = SharedSections(
      sections, functionStarts: [0x100, 0x110, 0x140, 0x150, 0x15f, 0x160, 0x170, 0x910, 0x920],
      code: [code])
    #expect(unsplit.sections == 2)
    #expect(unsplit.functions == 5)
    #expect(unsplit.files == [.init(file: "a.a", functions: 5, bytes: 0x60)])
  }
}
