import Foundation
import Testing

/// Libraries come and go; each load is a segment of its own, each build one image.
@Suite struct RuntimeLibraryTests {
  @Test func ahundredLibrariesAreLoadedTwiceByFourThreads() throws {
    let program = try Fixture.runtime("loads")
    let source = try program.directory.write(Fixture.runtimeSource("plugin"), to: "plugin.c")
    var libraries: [String] = []
    for variant in 0..<2 {
      let built = program.directory.path("variant\(variant).so")
      try Command.check(
        ["clang", "-g", "-O0", "-fPIC", "-shared", "-DVARIANT=\(variant)", source, "-o", built]
          + Toolchain.flags("clang"))
      for copy in 0..<50 {
        let path = program.directory.path("plugin\(variant)-\(copy).so")
        try FileManager.default.copyItem(atPath: built, toPath: path)
        libraries.append(path)
      }
    }
    let spool = try Spool()
    let mapped = try program.check(libraries, into: spool)
    // The executable's own; those of the libraries have gone with them.
    #expect(mapped == "1\n")
    let segments = try RawSegment.all(in: spool.directory).filter { $0.capacity == 4 }
    #expect(segments.count == 200)
    #expect(segments.allSatisfy { $0.records.count == 3 && $0.uncommitted == 0 })

    let profile = try spool.profile()
    let plugins = try Answer.info(profile).builds.filter { $0.path.contains("plugin") }
    #expect(plugins.count == 2)
    #expect(plugins.allSatisfy { $0.guards == 4 && $0.called == 3 })
    #expect(try Answer.dead([profile]).mangledNames == ["never0", "never1"])
  }
}
