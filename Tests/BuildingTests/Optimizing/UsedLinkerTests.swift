import TestSupport
import Testing

@testable import Building

@Suite struct UsedLinkerTests {
  /// Oracle: what the linker says of itself.
  @Test func aBinaryNamesTheLinkerThatMadeIt() throws {
    let directory = try TemporaryDirectory()
    let source = try directory.write("int main(void) { return 0; }\n", to: "main.c")
    let program = directory.path("program")
    try Command.check(["clang", "-fuse-ld=lld", source, "-o", program])
    let linker = try Command.check(["clang", "-print-prog-name=ld.lld"]).split(separator: "\n")[0]
    let told = try Command.check([String(linker), "--version"])
    let used = try #require(UsedLinker(of: program))
    #expect(told.contains(used.version + " ") || told.contains(used.version + "\n"), "\(told)")
    #expect(used.version.hasPrefix("LLD "))
    #expect(UsedLinker(of: source) == nil)
  }
}
