import Foundation
import TestSupport
import Testing

/// Each remedy that `libraries` prints is applied to a real program, which has to work as before.
@Suite(.tags(.compiler)) struct LibraryRemedyTests {
  private struct Account: Decodable {
    struct Library: Decodable {
      var name: String
      var verdict, sentence, advice, price: String?
    }
    var libraries: [Library]
  }

  private let directory: TemporaryDirectory

  /// libpart, which uses libdeep and libm: each as a shared and as a static library.
  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("int deep(int x) { return x + 1; }", to: "deep.c")
    try directory.write(
      """
      #include <math.h>
      int deep(int);
      int part(int x) { return deep(x) + (int)sqrt(x * 16.0); }
      """, to: "part.c")
    for (name, needs) in [("deep", []), ("part", Self.here + ["-ldeep", "-lm"])] {
      try Command.check(
        ["clang", "-fPIC", "-fno-builtin", "-c", "\(name).c"], in: directory.url)
      try Command.check(
        ["clang", "-shared", "\(name).o", "-o", "lib\(name).so"] + needs, in: directory.url)
      try Command.check(["ar", "rc", "lib\(name).a", "\(name).o"], in: directory.url)
    }
  }

  /// Builds a program that prints; returns what `libraries` says of it.
  private func build(
    _ source: String, _ flags: [String], compiler: [String] = ["clang"], ending: String = "c"
  ) throws -> Account {
    try directory.write(source, to: "main.\(ending)")
    try Command.check(
      compiler + ["main.\(ending)", "-o", "app"] + flags, in: directory.url)
    return try account(directory.path("app"))
  }

  private func account(_ file: String) throws -> Account {
    let text = try Command.check([Toolchain.firstlight, "libraries", "--format", "json", file])
    return try JSONDecoder().decode(Account.self, from: Data(text.utf8))
  }

  private func run() throws -> String {
    try Command.check(
      [directory.path("app")], environment: ["LD_LIBRARY_PATH": directory.url.path])
  }

  private static let uses = """
    #include <stdio.h>
    int part(int);
    int main(int count, char **v) { printf("%d\\n", part(count)); }
    """

  private static let here = ["-L.", "-Wl,-rpath,$ORIGIN"]

  /// One symbol of each is used, and all of them would be linked "in part".
  @Test func theCLibraryIsNoLibraryToLinkInPart() throws {
    let found = try build(
      """
      #include <math.h>
      #include <stdio.h>
      int main(int count, char **v) { printf("%f\\n", sin(count)); }
      """, ["-fno-builtin", "-lm"])
    #expect(found.libraries.contains { $0.name == "libm.so.6" })
    #expect(found.libraries.allSatisfy { $0.advice == nil && $0.sentence == nil })
    let cpp = try build(
      """
      #include <iostream>
      int main() { try { throw 1; } catch (int x) { std::cout << x << "\\n"; } }
      """, [], compiler: ["g++"], ending: "cc")
    #expect(cpp.libraries.contains { $0.name == "libstdc++.so.6" })
    #expect(cpp.libraries.contains { $0.name == "libgcc_s.so.1" })
    #expect(cpp.libraries.allSatisfy { $0.advice?.contains("Bstatic") != true })
  }

  @Test func aLibraryOfOneSymbolIsLinkedStatically() throws {
    let found = try build(Self.uses, Self.here + ["-lpart"])
    let before = try run()
    let advice = try #require(found.libraries.first { $0.name == "libpart.so" }?.advice)
    let flags = try #require(advice.firstMatch(of: /\((.+)\)/)).1.split(separator: " ")
    #expect(flags == ["-Wl,-Bstatic", "-lpart", "-Wl,-Bdynamic", "-ldeep", "-lm"])
    let after = try build(Self.uses, Self.here + flags.map(String.init))
    #expect(try run() == before)
    #expect(!after.libraries.contains { $0.name == "libpart.so" })
  }

  @Test func librariesThatAreNotUsedAreLeftOut() throws {
    let source = "#include <stdio.h>\nint main(void) { puts(\"x\"); }"
    let flags = Self.here + ["-Wl,--no-as-needed", "-ldeep", "-lm"]
    let found = try build(source, flags)
    let before = try run()
    for name in ["libdeep.so", "libm.so.6"] {
      let library = try #require(found.libraries.first { $0.name == name })
      #expect(library.verdict == "unneeded")
      let flag = name == "libm.so.6" ? "-lm" : "-ldeep"
      #expect(library.advice == "link app without \(flag), or with -Wl,--as-needed before it")
    }
    for flags in [[], ["-Wl,--as-needed", "-ldeep", "-lm"]] {
      let after = try build(source, Self.here + flags)
      #expect(try run() == before)
      #expect(after.libraries.allSatisfy { $0.verdict != "unneeded" })
    }
  }

  @Test func aLibraryThatOnlyAnotherUsesIsNotListed() throws {
    let found = try build(Self.uses, Self.here + ["-Wl,--no-as-needed", "-lpart", "-ldeep"])
    let before = try run()
    let deep = try #require(found.libraries.first { $0.name == "libdeep.so" })
    #expect(deep.verdict == "listed without use")
    #expect(deep.advice?.hasPrefix("link app with -Wl,--as-needed before -ldeep; ") == true)
    let after = try build(Self.uses, Self.here + ["-lpart", "-Wl,--as-needed", "-ldeep"])
    #expect(try run() == before)
    let needed = try Command.check(["readelf", "-d", directory.path("app")])
    #expect(needed.contains("[libpart.so]") && !needed.contains("[libdeep.so]"))
    #expect(after.libraries.contains { $0.name == "libdeep.so" })
  }

  @Test func aLibraryOfLateUseIsOpenedThere() throws {
    let flags = try Self.here + Toolchain.flags("clang")
    try Command.check(
      ["clang", "-g", "-shared", "-fPIC", "part.c", "-o", "libpart.so", "-ldeep", "-lm"]
        + Self.here + Toolchain.flags("clang"), in: directory.url)
    _ = try build(
      """
      #include <stdio.h>
      int part(int);
      int main(int count, char **v) { if (count > 5) part(count); puts("x"); }
      """, flags + ["-g", "-lpart"])
    let before = try run()
    let profile = directory.path("app.flp")
    try Command.check([Toolchain.firstlight, "record", "-o", profile, "--", directory.path("app")])
    let found = try account(profile)
    #expect(
      found.libraries.first { $0.name == "libpart.so" }?.advice
        == "leave out -lpart; where it is first needed, dlopen(\"libpart.so\", RTLD_LAZY) and "
        + "dlsym its symbol")
    let source = """
      #include <dlfcn.h>
      #include <stdio.h>
      int main(int count, char **v) {
        void *library = count > 0 ? dlopen("libpart.so", RTLD_LAZY) : 0;
        int (*part)(int) = (int (*)(int))dlsym(library, "part");
        puts(part && part(count) > 0 ? "x" : dlerror());
      }
      """
    let after = try build(source, flags + ["-g", "-Wl,--disable-new-dtags"])
    #expect(try run() == before)
    #expect(!after.libraries.contains { $0.name == "libpart.so" })
  }

  @Test func functionsBindAtTheirFirstCall() throws {
    func note() throws -> Bool {
      try Command.check([Toolchain.firstlight, "libraries", directory.path("app")])
        .contains("-Wl,-z,lazy defers")
    }
    _ = try build(Self.uses, Self.here + ["-lpart", "-Wl,-z,now"])
    let before = try run()
    #expect(try note())
    _ = try build(Self.uses, Self.here + ["-lpart", "-Wl,-z,now", "-Wl,-z,lazy"])
    #expect(try run() == before)
    #expect(try !note())
  }

  /// Its compiler names the libraries itself, where no flag for the linker reaches.
  @Test func swiftsLibrariesAreLinkedAllTogether() throws {
    let source = "print(\"a b\".split(separator: \" \").count)"
    let found = try build(source, [], compiler: ["swiftc"], ending: "swift")
    let before = try run()
    #expect(found.libraries.contains { $0.name == "libswift_Concurrency.so" })
    #expect(found.libraries.allSatisfy { $0.advice == nil }, "\(found)")
    let text = try Command.check([Toolchain.firstlight, "libraries", directory.path("app")])
    #expect(text.contains("-static-stdlib (swift build: --static-swift-stdlib) links Swift's "))
    let after = try build(source, ["-static-stdlib"], compiler: ["swiftc"], ending: "swift")
    #expect(try run() == before)
    #expect(!after.libraries.contains { $0.name.hasPrefix("libswift") })
    let left = try Command.check([Toolchain.firstlight, "libraries", directory.path("app")])
    #expect(!left.contains("-static-stdlib"))
  }
}
