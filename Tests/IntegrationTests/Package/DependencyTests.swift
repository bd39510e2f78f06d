import Foundation
import TestSupport
import Testing

/// What a package that uses Firstlight has to take with it.
@Suite(.tags(.compiler)) struct DependencyTests {
  @Test func aPackageThatUsesOnlyTheProductFetchesNothingElse() throws {
    let directory = try TemporaryDirectory()
    // A copy: SwiftPM names a local dependency by its folder.
    let copy = directory.url.appending(path: "firstlight")
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    for entry in ["Package.swift", "Sources", "CSupport", "Plugins", "Tests"] {
      try FileManager.default.copyItem(
        at: Toolchain.project.appending(path: entry), to: copy.appending(path: entry))
    }
    try directory.write(
      """
      // swift-tools-version: 6.1
      import PackageDescription
      let package = Package(
        name: "User",
        dependencies: [.package(path: "../firstlight", traits: [])],
        targets: [
          .executableTarget(
            name: "User", dependencies: [.product(name: "Firstlight", package: "firstlight")])
        ])
      """, to: "User/Package.swift")
    try directory.write(
      """
      import Firstlight
      func before() { print("before") }
      func after() { print("after") }
      before()
      Firstlight.ready()
      after()
      print(Firstlight.isRecording)
      """, to: "User/Sources/User/main.swift")
    let user = directory.url.appending(path: "User")
    try Command.check(["swift", "build"] + (try Toolchain.flags("swiftpm")), in: user)
    let checkouts = try? FileManager.default.contentsOfDirectory(
      atPath: user.appending(path: ".build/checkouts").path)
    #expect(checkouts ?? [] == [])

    let program = user.appending(path: ".build/debug/User").path
    #expect(try Command.check([program]) == "before\nafter\nfalse\n")
    let profile = directory.path("user.flp")
    // What it printed is lost if SIGTERM comes before it ends: print keeps it back.
    try Command.check([
      Toolchain.firstlight, "record", "--until", "ready", "-o", profile, "--", program,
    ])
    let names = try Answer.order([profile])
    #expect(names.contains("$s4User6beforeyyF"))
    #expect(!names.contains("$s4User5afteryyF"))
  }

  @Test func theRuntimeCanBeLinkedByHand() throws {
    let archive = Toolchain.products.appending(path: "libfirstlight_rt.a").path
    let program = try Fixture.c(
      "int main(void) { return 0; }",
      flags: [
        "-Xclang", "-fsanitize-coverage-type=1", "-Xclang",
        "-fsanitize-coverage-trace-pc-guard", "-Xclang", "-fsanitize-coverage-pc-table",
        "-fuse-ld=lld", "-Wl,--build-id", archive,
      ])
    #expect(try Answer.order([program.record()]) == ["main"])
  }

  @Test func flagsSuitEveryKindOfClangCall() throws {
    let directory = try TemporaryDirectory()
    let source = try directory.write("int main(void) { return 0; }", to: "a.c")
    let flags = try Toolchain.flags("clang") + ["-Werror", "-Wall"]
    let object = directory.path("a.o")
    try Command.check(["clang", "-c", source, "-o", object] + flags)
    try Command.check(["clang", object, "-o", directory.path("linked")] + flags)
    try Command.check(["clang", source, "-o", directory.path("both")] + flags)
    try Command.check(["clang", "-E", source, "-o", directory.path("a.i")] + flags)
    try Command.check(["clang++", "-x", "c++", source, "-o", directory.path("cxx")] + flags)
    try Command.check(["clang", "-static", source, "-o", directory.path("static")] + flags)
    for name in ["linked", "both", "cxx", "static"] {
      let profile = directory.path("\(name).flp")
      try Command.check([Toolchain.firstlight, "record", "-o", profile, "--", directory.path(name)])
      #expect(try Answer.order([profile]).first == "main", "\(name)")
    }
  }

  @Test func aPathThatWouldNeedQuotingGetsAResponseFile() throws {
    let directory = try TemporaryDirectory()
    let place = directory.url.appending(path: "a place")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    for name in ["firstlight", "libfirstlight_rt.a"] {
      try FileManager.default.copyItem(
        at: Toolchain.products.appending(path: name), to: place.appending(path: name))
    }
    let tool = place.appending(path: "firstlight").path
    let refused = try Command.run([tool, "flags", "clang"])
    #expect(refused.status == 64)
    #expect(refused.errors.contains("needs shell quoting"))
    #expect(refused.errors.contains("--response-file"))

    let source = try directory.write("int main(void) { return 0; }", to: "a.c")
    let swiftSource = try directory.write("print(1)", to: "main.swift")
    func words(_ kind: String) throws -> [String] {
      try Command.check(
        [tool, "flags", kind, "--response-file", directory.path("\(kind).response")]
      ).split(whereSeparator: \.isWhitespace).map(String.init)
    }
    try Command.check(["clang", source, "-o", directory.path("c")] + words("clang"))
    try Command.check(["swiftc", swiftSource, "-o", directory.path("swift")] + words("swiftc"))
    for name in ["c", "swift"] {
      let profile = directory.path("\(name).flp")
      try Command.check([Toolchain.firstlight, "record", "-o", profile, "--", directory.path(name)])
      #expect(try Answer.order([profile]).first == "main", "\(name)")
    }
    #expect(try words("swiftpm").first == "--toolset")
  }
}
