import SystemSupport
import Testing

@Suite struct GlobTests {
  @Test func patternsAreThoseOfShells() {
    #expect(Glob.matches("*.so", "/usr/lib/libc.so"))
    #expect(Glob.matches("lib?.so", "libc.so"))
    #expect(!Glob.matches("lib?.so", "libcc.so"))
  }

  @Test func aGlobFitsAPathOrItsLastPart() {
    #expect(Glob.matchesFile("lib*.so", "/usr/lib/libz.so"))
    #expect(Glob.matchesFile("*/lib/*", "/usr/lib/libz.so"))
    #expect(!Glob.matchesFile("z.so", "/usr/lib/libz.so"))
  }
}
