import Foundation
import TestSupport
import Testing

/// Libraries come and go; each load is a segment of its own, each build one image.
@Suite(.tags(.compiler)) struct RuntimeLibraryTests {
  @Test func ahundredLibrariesAreLoadedTwiceByFourThreads() throws {
    let program = try Fixture.runtime("loads")
    let source = try program.directory.write(Fixture.runtimeSource("plugin"), to: "plugin.c")
    var libraries: [String] = []
    for variant in 0..<2 {
      let built = program.directory.path("variant\(variant).so")
      try Command.check(
        [ProgramTarget.compiler, "-g", "-O0", "-fPIC", "-shared", "-DVARIANT=\(variant)", source]
          + ["-o", built] + Toolchain.flags("clang"))
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
    let segments = try RawSegment.all(in: spool.directory).filter {
      $0.capacity == 4 || ProgramTarget.hooks != nil && $0.records.count == 3
    }
    #expect(segments.count == 200)
    #expect(segments.allSatisfy { $0.records.count == 3 && $0.uncommitted == 0 })

    let profile = try spool.profile()
    let plugins = try Answer.info(profile).builds.filter { $0.path.contains("plugin") }
    #expect(plugins.count == 2)
    #expect(plugins.allSatisfy { ($0.guards == 4 || ProgramTarget.hooks != nil) && $0.called == 3 })
    #expect(try Answer.dead([profile]).mangledNames == ["never0", "never1"])
  }

  /// Nothing but the library itself tells its unloading from the program's exit.
  @Test(.onlyNative("a library of the machine's"), arguments: [[], ["-DMAY_CONFINE_ITSELF"]])
  func aHostWithoutRuntimeMayReloadALibraryForEver(options: [String]) throws {
    let host = try Fixture.c(Fixture.runtimeSource("reloads"), options: options, flags: [])
    let library = try Fixture.library("void entry(void) {}")
    let spool = try Spool()
    spool.keep(library.directory)
    let output = try host.check([library.executable, "100"], into: spool)
    #expect(output == "0 default\n")
    #expect(try RawSegment.all(in: spool.directory).count == 100)
  }

  /// More loads in overlap than the loader has room for thread-local storage, of libraries that take
  /// long to relocate, and meanwhile others call the API. Recorded from the start, by itself, and never.
  @Test(arguments: ["environment", "start", "never"])
  func librariesComeAndGoWhileOthersSteer(recorded: String) throws {
    let functions = (0..<2000).map { "void f\($0)(void) {}\n" }.joined()
    let names = (0..<2000).map { "f\($0)" }.joined(separator: ",")
    let libraries = try (0..<3).map { variant in
      try Fixture.library(
        functions + "void (*const all[])(void) = {\(names)};\n"
          + "int variant = \(variant); void entry(void) {}")
    }
    let program = try Fixture.runtime("raced")
    let spool = try Spool()
    let loads = Soak.count(240, soak: 1000)
    try withExtendedLifetime(libraries) {
      let result = try program.run(
        ["\(loads)", recorded == "start" ? spool.directory.url.path : ""]
          + libraries.map(\.executable), into: recorded == "environment" ? spool : nil)
      #expect(result.status == 0 && !result.signalled)
      #expect(result.output == "ran\n")
      #expect(result.errors == "")
    }
    let segments = try RawSegment.all(in: spool.directory).filter {
      $0.capacity == 2001 || ProgramTarget.hooks != nil && $0.capacity > 2001
    }
    if recorded == "environment" { #expect(segments.count == loads) }
    if recorded == "never" { #expect(segments.isEmpty) }
  }

  /// libc calls handlers of forks that a library has registered, although the library is gone by then.
  @Test func aLibraryMayBeUnloadedWhileOtherThreadsFork() throws {
    let program = try Fixture.runtime("unloads")
    let library = try Fixture.library("void entry(void) {}")
    try withExtendedLifetime(library) {
      let result = try program.run(
        ["\(Soak.count(4, soak: 60))", library.executable], before: RuntimeInterruptionTests.inTime)
      #expect(result.status == 0 && !result.signalled)
    }
  }
}
