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

  @Test(arguments: [
    ("Sources", "/home/me/app/Sources/App/main.swift", true),
    ("./Sources/App/", "Sources/App/main.swift", true),
    ("App/main.swift", "/home/me/app/Sources/App/main.swift", true),
    ("/home/me/app", "/home/me/app/Sources/App/main.swift", true),
    ("/home/me/ap", "/home/me/app/Sources/App/main.swift", false),
    ("/Sources", "/home/me/app/Sources/App/main.swift", false),
    ("Source", "Sources/App/main.swift", false), ("", "main.c", false),
    ("*/App/*", "Sources/App/main.swift", true), ("App*", "Sources/App/main.swift", false),
  ])
  func aPlaceIsAPatternOrAFolder(pattern: String, path: String, fits: Bool) {
    #expect(Glob.matchesPlace(pattern, path) == fits)
  }
}
