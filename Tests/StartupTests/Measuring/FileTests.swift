import FirstlightModel
import Foundation
import Startup
import TestSupport
import Testing

@Suite struct FileTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func ordersWithoutNamesAreRefused() throws {
    let empty = try directory.write("# nothing\n\n", to: "empty.order")
    let failure = #expect(throws: Failure.self) { try OrderNames.read(empty) }
    #expect(failure?.kind == .data)
    let order = try directory.write("main\nhelper\n", to: "two.order")
    #expect(try OrderNames.read(order) == ["main", "helper"])
  }

  /// Oracle: the linker, which writes the map.
  @Test func aLinkersMapIsRead() throws {
    try directory.write("int main(void) { return 0; }", to: "main.c")
    try Command.check(
      ["clang", "-ffunction-sections", "-fuse-ld=lld", "-Wl,-Map=map", "main.c", "-o", "program"],
      in: directory.url)
    let sections = try LinkMapFile.read(directory.path("map"))
    #expect(sections.contains { $0.name == ".text.main" })
    let other = try directory.write("hello\n", to: "other")
    #expect(throws: Failure.self) { try LinkMapFile.read(other) }
  }

  @Test func aBinaryWithoutSymbolsHasNoNames() throws {
    try directory.write("int main(void) { return 0; }", to: "main.c")
    try Command.check(["clang", "main.c", "-o", "program"], in: directory.url)
    #expect(throws: Never.self) { try TargetBinary.symbols(of: directory.path("program")) }
    try Command.check(["strip", "program"], in: directory.url)
    let failure = #expect(throws: Failure.self) {
      try TargetBinary.symbols(of: directory.path("program"))
    }
    #expect(failure?.kind == .data)
  }

  @Test func aFileThatIsNoBaselineIsRefused() throws {
    let path = try directory.write("{}", to: "start.json")
    let failure = #expect(throws: Failure.self) { try StartupBaselineFile.read(path) }
    #expect(failure?.problem.hasPrefix(path) == true)
  }
}
