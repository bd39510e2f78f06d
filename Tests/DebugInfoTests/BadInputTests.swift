import DebugInfo
import FirstlightModel
import Foundation
import Testing

@Suite struct BadInputTests {
  private func refusal(_ path: String) -> Failure? {
    do {
      _ = try DebugImage(path: path)
      return nil
    } catch {
      return error
    }
  }

  @Test func otherFilesAreReportedByKind() throws {
    let tools = try Toolbox()
    try tools.write("#!/bin/sh\n", to: "script")
    try tools.write("", to: "empty")
    try tools.write("int f(void) { return 1; }\n", to: "f.c")
    try tools.run("clang", "-c", "f.c", "-o", "f.o")
    try tools.run("clang", "-c", "--target=i386-linux-gnu", "f.c", "-o", "f32.o")
    try tools.run("clang", "-c", "--target=riscv64-linux-gnu", "f.c", "-o", "riscv.o")
    let expected: [(String, Failure.Kind, String)] = [
      ("script", .data, "not an ELF file"), ("empty", .data, "not an ELF file"),
      ("f.o", .data, "relocatable object file"), ("f32.o", .data, "32-bit"),
      ("missing", .noInput, "cannot be opened"), (".", .noInput, "not a regular file"),
    ]
    for (name, kind, text) in expected {
      let failure = try #require(refusal(tools.path(name)))
      #expect(failure.kind == kind)
      #expect(failure.problem.hasPrefix("\(tools.path(name)): "))
      #expect(failure.problem.contains(text))
    }
  }

  @Test func aTruncatedFileFailsOrAnswersButNeverCrashes() throws {
    let tools = try Toolbox()
    try tools.buildSwift("shapes", ["-O"], guards: true)
    let whole = try Data(contentsOf: URL(fileURLWithPath: tools.path("shapes")))
    for part in 0..<16 {
      let path = tools.path("part-\(part)")
      try whole.prefix(whole.count * part / 16).write(to: URL(fileURLWithPath: path))
      let failure = try #require(refusal(path))
      #expect(failure.kind == .data)
      #expect(failure.problem.hasPrefix("\(path): "))
    }
  }

  @Test(arguments: [["-O2", "-gdwarf-4"], ["-O2", "-gdwarf-5"], ["-O2", "-gz=zlib"]])
  func aDamagedFileFailsOrAnswersButNeverCrashes(flags: [String]) throws {
    let tools = try Toolbox()
    try tools.buildC("program", flags + [Toolbox.guards])
    let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: tools.path("program"))))
    let symbols = try tools.listedSymbols("program")
    let addresses = symbols.flatMap { [$0.address, $0.address + $0.size / 2] }
    var random = FixedGenerator(state: 42)
    var opened = 0
    for round in 0..<200 {
      var bytes = whole
      // Early rounds hit the header and its neighbours, later ones anything.
      for _ in 0..<(1 << Int.random(in: 0..<10, using: &random)) {
        let limit = round < 40 ? 4096 : bytes.count
        bytes[Int.random(in: 0..<limit, using: &random)] = .random(in: 0...255, using: &random)
      }
      let path = tools.path("damaged")
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      guard let image = try? DebugImage(path: path, debugDirectories: []) else { continue }
      opened += 1
      _ = image.source.frames(at: addresses + [0, .max], inlines: true)
      _ = image.functions()
      _ = image.notes
    }
    #expect(opened > 0)
  }

  @Test func aFileWithoutBuildIDIsKnownByItsContents() throws {
    let tools = try Toolbox()
    try tools.buildC("program", ["-O1", "-Wl,--build-id=none", Toolbox.guards])
    let image = try DebugImage(path: tools.path("program"))
    #expect(image.buildID == nil)
    let build = try image.build(recordedPath: "program")
    #expect(build.buildID.isFileDigest)
    try tools.buildC("program2", ["-O2", "-Wl,--build-id=none", Toolbox.guards])
    let other = try DebugImage(path: tools.path("program2")).build(recordedPath: "program")
    #expect(build.buildID != other.buildID)
  }

  @Test func theBuildIDIsTheOneReadelfShows() throws {
    let tools = try Toolbox()
    for style in ["sha1", "md5", "fast", "0xdeadbeef"] {
      try tools.buildC("program", ["-O1", "-Wl,--build-id=\(style)"])
      let image = try DebugImage(path: tools.path("program"))
      let notes = try tools.run("readelf", "-n", "program")
      let id = try #require(image.buildID).description
      #expect(notes.contains("Build ID: \(id)\n"))
    }
  }
}

/// A generator whose numbers are the same in every run.
struct FixedGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 29
  }
}
