import DebugInfo
import FirstlightModel
import Foundation
import Testing

/// Files that are written to or replaced while an image reads them.
@Suite struct ChangedFileTests {
  private func open(_ tools: Toolbox) throws -> DebugImage {
    try tools.buildC("program", ["-O2", Toolbox.guards])
    return try DebugImage(path: tools.path("program"))
  }

  @Test(arguments: [0, 1, 4096, 5000])
  func aFileThatIsCutShortIsRefused(size: Int) throws {
    let tools = try Toolbox()
    let image = try open(tools)
    let entries = image.functionEntries
    #expect(throws: Never.self) { try image.checkUnchanged() }
    #expect(truncate(image.path, size) == 0)
    let failure = #expect(throws: Failure.self) { try image.checkUnchanged() }
    #expect(failure?.kind == .data)
    #expect(failure?.problem == "\(image.path): changed while it was being read")
    #expect(throws: Failure.self) { try image.build(recordedPath: image.path) }
    #expect(throws: Failure.self) { try image.facts() }
    let build = image.namelessBuild(recordedPath: image.path, entries: entries)
    #expect(build.guarded.map(\.address) == entries.addresses && !build.hasSymbols)
  }

  @Test func changedFilesAreDetected() throws {
    let tools = try Toolbox()
    let image = try open(tools)
    let file = try #require(FileHandle(forUpdatingAtPath: image.path))
    try file.seekToEnd()
    try file.write(contentsOf: Data([0]))
    try file.close()
    #expect(throws: Failure.self) { try image.checkUnchanged() }
  }

  @Test func aFileThatIsReplacedIsReadOn() throws {
    let tools = try Toolbox()
    let image = try open(tools)
    let symbols = try tools.listedSymbols("program")
    try tools.write("another file", to: "other")
    #expect(rename(tools.path("other"), image.path) == 0)
    for name in ["main", "never", "shape_area"] {
      let symbol = try #require(symbols.first { $0.name == name })
      #expect(image.symbols.containing(symbol.address)?.name == name)
    }
    #expect(throws: Never.self) { try image.checkUnchanged() }
  }
}
