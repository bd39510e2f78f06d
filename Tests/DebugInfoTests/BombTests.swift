import DebugInfo
import FirstlightModel
import Foundation
import Testing

/// Files that ask for much more than they are: the answer is what their symbols say, and why there is no
/// more.
@Suite struct BombTests {
  @Test(arguments: Bomb.allCases)
  func aBombIsAnsweredFromItsSymbolsAndNoted(bomb: Bomb) throws {
    let tools = try Toolbox()
    let path = tools.path(bomb.rawValue)
    try bomb.file.write(to: URL(fileURLWithPath: path))
    let image = try DebugImage(path: path, debugDirectories: [])
    #expect(image.hasDebugInfo)
    let pcs = (0..<16_000).map { ELFWriter.codeStart + UInt64($0 * 16) }
    let table = image.frameTable(for: pcs, inlines: true)
    #expect(table.frames(at: 0).last?.function == "bomb")
    #expect(image.symbolBuild(recordedPath: path).functions.map(\.name) == ["bomb"])
    let notes = image.notes
    #expect(notes.count == 1)
    #expect(notes.first?.contains(bomb.note) == true, "\(notes)")
    #expect(notes.first?.hasPrefix("\(path): ") == true)
  }

  /// The same as object files, of which compressed sections are inflated before libdw sees them.
  @Test(arguments: Bomb.allCases.filter { $0.note == "too much memory" })
  func aBombOfAnObjectIsNoted(bomb: Bomb) throws {
    let tools = try Toolbox()
    let path = tools.path("bomb.o")
    var file = bomb.file
    // ET_REL.
    file[16] = 1
    try file.write(to: URL(fileURLWithPath: path))
    let image = try DebugImage(path: path, debugDirectories: [], objects: true)
    #expect(image.isObject)
    #expect(image.frameTable(for: [0, 1], inlines: true).count == 2)
    #expect(image.notes.count == 1)
    #expect(image.notes.first?.contains(bomb.note) == true, "\(image.notes)")
  }

  @Test func sectionsMaySharePartsOfNamesButNotWithoutEnd() throws {
    let tools = try Toolbox()
    var writer = ELFWriter()
    writer.sections = [.init(name: String(repeating: "n", count: 60_000), bytes: [0])]
    // All by the same name: one text. By 20,000 ends of one: 800 MB.
    let longName = UInt32(1 + ".text".utf8.count + 1)
    writer.emptySections = [UInt32](repeating: longName, count: 20_000)
    try writer.file().write(to: URL(fileURLWithPath: tools.path("shared")))
    #expect(throws: Never.self) { try DebugImage(path: tools.path("shared")) }
    writer.emptySections = (0..<20_000).map { longName + $0 }
    try writer.file().write(to: URL(fileURLWithPath: tools.path("ends")))
    let failure = #expect(throws: Failure.self) { try DebugImage(path: tools.path("ends")) }
    #expect(failure?.kind == .data)
    #expect(failure?.problem.contains("section names") == true)
  }

  @Test func symbolsThatShareALongNameAreNotAllKept() throws {
    let tools = try Toolbox()
    var writer = ELFWriter()
    let name = [0] + [UInt8](repeating: 0x6e, count: 500_000) + [0]
    writer.addSymbols(names: name, offsets: [UInt32](repeating: 1, count: 20_000))
    let path = tools.path("symbols")
    try writer.file().write(to: URL(fileURLWithPath: path))
    let image = try DebugImage(path: path, debugDirectories: [])
    #expect(image.symbol(containing: ELFWriter.codeStart)?.name.count == 500_000)
    #expect(image.functionSymbols.count < 20)
    #expect(image.notes.contains { $0.hasPrefix("\(path): symbols are left out") })
  }
}
