import Foundation
import TestSupport
import Testing

/// `libraries` on programs of which is known what they need; the loader itself is the oracle.
@Suite(.tags(.compiler)) struct LibrariesTests {
  struct Account: Decodable {
    struct Library: Decodable {
      struct Use: Decodable {
        var image: String
        var symbols: [String]
      }
      struct Run: Decodable {
        var watched: Bool
        var functions: Int
        var firstUseMilliseconds: Double?
      }
      var name, path: String
      var neededBy, listedWithoutUse, initializers: [String]
      var boundBy: [Use]
      var loadedLater: Bool
      var verdict, advice, price: String?
      var run: Run?
    }
    struct Missing: Decodable { var name, neededBy: String }
    var binary: Library
    var isStatic: Bool
    var libraries: [Library]
    var missing: [Missing]
    var readyMilliseconds: Double?

    func library(_ name: String) -> Library? { libraries.first { $0.name == name } }
  }

  /// A cache of our own in the place of the system's, in a mount namespace; that takes root.
  @Test(.tags(.root), .enabled(if: getuid() == 0, "needs root"))
  func librariesOfTheLoadersCacheAreWhereTheLoaderFindsThem() throws {
    let directory = try TemporaryDirectory()
    let names = (1...30).map { "libcached\($0).so.\($0 % 3)" }
    let best = "glibc-hwcaps/x86-64-v2"
    let source = try directory.write("int main(void) { return 0; }", to: "main.c")
    // In one folder that only the cache names; of every fifth there is one for newer processors too.
    for folder in ["libs", "libs/\(best)"] {
      try FileManager.default.createDirectory(
        atPath: directory.path(folder), withIntermediateDirectories: true)
    }
    for (place, name) in names.enumerated() {
      for folder in place % 5 == 0 ? ["libs", "libs/\(best)"] : ["libs"] {
        try Command.check([
          "clang", "-shared", "-nostdlib", "-x", "c", "/dev/null", "-Wl,-soname,\(name)", "-o",
          directory.path("\(folder)/\(name)"),
        ])
      }
    }
    let program = directory.path("program")
    try Command.check(
      ["clang", source, "-o", program, "-Wl,--no-as-needed"]
        + names.map { directory.path("libs/\($0)") })
    let folders = try directory.write(directory.path("libs") + "\n", to: "ld.so.conf")
    let cache = directory.path("cache")
    try Command.check(["/sbin/ldconfig", "-X", "-f", folders, "-C", cache])
    func here(_ command: [String]) throws -> String {
      try Command.check(
        [
          "unshare", "-m", "sh", "-c",
          "mount --bind \"$0\" /etc/ld.so.cache && exec \"$@\"", cache,
        ] + command)
    }
    // "libcached1.so.1 => /tmp/.../libs/libcached1.so.1 (0x...)"
    var told: [String: String] = [:]
    for line in try here(["ldd", program]).split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      if words.count == 4, words[1] == "=>" {
        told[words[0].trimmingCharacters(in: .whitespaces)] = words[2]
      }
    }
    #expect(names.allSatisfy { told[$0]?.hasPrefix("/") == true })
    #expect(told.values.contains { $0.contains(best) })
    let text = try here([Toolchain.firstlight, "libraries", "--format", "json", program])
    let found = try JSONDecoder().decode(Account.self, from: Data(text.utf8))
    for name in names { #expect(found.library(name)?.path == told[name]) }
    // And ldconfig itself has both of those of which there are two.
    let listed = try Command.check(["/sbin/ldconfig", "-p", "-C", cache])
    #expect(listed.split(separator: "\n").filter { $0.contains("libcached1.so") }.count == 2)
  }

  private func account(
    _ file: String, environment: [String: String] = [:]
  ) throws -> Account {
    let text = try Command.check(
      [Toolchain.firstlight, "libraries", "--format", "json", file], environment: environment)
    return try JSONDecoder().decode(Account.self, from: Data(text.utf8))
  }

  /// `app` needs libused.so, which needs libdeep.so from a folder of its own, and libidle.so.
  private func planted(_ flags: [String] = ["-Wl,-rpath,$ORIGIN"]) throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    for name in ["deep", "own"] {
      try FileManager.default.createDirectory(
        atPath: directory.path(name), withIntermediateDirectories: true)
    }
    try directory.write("int deep(int x) { return x + 1; }", to: "deep.c")
    try directory.write("int deep(int); int used(int x) { return deep(x); }", to: "used.c")
    try directory.write(
      """
      int idle(int x) { return x + 2; }
      __attribute__((constructor)) static void idle_started(void) { idle(1); }
      """, to: "idle.c")
    try directory.write(
      "#include <stdio.h>\nint used(int); int main(int n, char **v) { printf(\"%d\\n\", used(n)); }",
      to: "app.c")
    let library = ["clang", "-shared", "-fPIC", "-fuse-ld=lld"]
    try Command.check(library + ["deep.c", "-o", "deep/libdeep.so"], in: directory.url)
    try Command.check(library + ["idle.c", "-o", "libidle.so"], in: directory.url)
    try Command.check(
      library + ["used.c", "-Ldeep", "-ldeep", "-Wl,-rpath,$ORIGIN/deep", "-o", "libused.so"],
      in: directory.url)
    try Command.check(
      ["clang", "-fuse-ld=lld", "app.c", "-L.", "-lused", "-lidle", "-o", "app"] + flags,
      in: directory.url)
    return directory
  }

  @Test func thePlantedLibraryIsNamedAndOnlyThat() throws {
    let directory = try planted()
    let found = try account(directory.path("app"))
    let unneeded = found.libraries.filter { $0.verdict == "unneeded" }
    #expect(unneeded.map(\.name) == ["libidle.so"])
    #expect(unneeded.first?.advice?.contains("-lidle") == true)
    #expect(unneeded.first?.advice?.contains("--as-needed") == true)
    // What its initializer does, no linker knows.
    #expect(unneeded.first?.price?.contains("idle_started") == true)
    #expect(found.library("libdeep.so")?.neededBy == ["libused.so"])
    #expect(found.library("libdeep.so")?.boundBy.map(\.symbols) == [["deep"]])
    #expect(found.library("libused.so")?.boundBy.map(\.image) == ["app"])
    let text = try Command.check([Toolchain.firstlight, "libraries", directory.path("app")])
    #expect(text.contains("1 unused"))
    // It does what it says.
    try Command.check(
      [
        "clang", "-fuse-ld=lld", "app.c", "-L.", "-Wl,--as-needed", "-lused", "-lidle", "-o", "app",
        "-Wl,-rpath,$ORIGIN",
      ], in: directory.url)
    #expect(try account(directory.path("app")).library("libidle.so") == nil)
  }

  /// What the loader itself binds, without running the program.
  private func oracle(
    _ program: String, environment: [String: String] = [:]
  ) throws -> (paths: Set<String>, bindings: Set<String>) {
    // Behind an env of its own, which the variables must not reach.
    let variables = [
      "LD_TRACE_LOADED_OBJECTS=1", "LD_WARN=yes", "LD_BIND_NOW=1", "LD_DEBUG=bindings",
    ]
    let said = try Command.run(
      ["env"] + variables + environment.map { "\($0.key)=\($0.value)" } + [program])
    var paths: Set<String> = []
    for match in said.output.matches(of: /(\/\S+) \(0x/) { paths.insert(real(match.1)) }
    var bindings: Set<String> = []
    let line = /binding file (\S+) \[\d+\] to (\S+) \[\d+\]: \S+ symbol .(\S+)'/
    for match in said.errors.matches(of: line) where match.1 != match.2 {
      bindings.insert("\(real(match.1))>\(real(match.2)) \(match.3)")
    }
    return (paths, bindings)
  }

  private func real(_ path: Substring) -> String {
    URL(fileURLWithPath: String(path)).resolvingSymlinksInPath().path
  }

  private func check(_ program: String, environment: [String: String] = [:]) throws {
    let found = try account(program, environment: environment)
    let truth = try oracle(program, environment: environment)
    #expect(Set(found.libraries.map { real(Substring($0.path)) }) == truth.paths)
    var paths: [String: String] = [:]
    for library in found.libraries + [found.binary] {
      paths[URL(fileURLWithPath: library.name).lastPathComponent] = real(Substring(library.path))
    }
    var bindings: Set<String> = []
    for library in found.libraries + [found.binary] {
      for use in library.boundBy {
        // When it only traces, the loader does not bind itself.
        guard let from = paths[use.image], !from.contains("/ld-linux") else { continue }
        for symbol in use.symbols {
          bindings.insert(
            "\(from)>\(real(Substring(library.path))) \(symbol.split(separator: "@")[0])")
        }
      }
    }
    #expect(!truth.bindings.isEmpty)
    #expect(bindings.symmetricDifference(truth.bindings).sorted().prefix(5) == [])
  }

  @Test(arguments: ["/usr/bin/git", "/usr/bin/gdb", "/usr/bin/python3", "/usr/bin/perl"])
  func librariesAndBindingsAreThoseOfTheLoader(program: String) throws {
    guard FileManager.default.isExecutableFile(atPath: program) else {
      try Test.cancel("\(program) is not installed")
    }
    try check(program)
  }

  @Test(arguments: ["-Wl,--enable-new-dtags", "-Wl,--disable-new-dtags"])
  func foldersAreSearchedAsTheLoaderDoes(tags: String) throws {
    let directory = try planted([tags, "-Wl,-rpath,$ORIGIN/own:${ORIGIN}"])
    try check(directory.path("app"))
    // Another libdeep.so: DT_RPATH of the program comes before LD_LIBRARY_PATH, DT_RUNPATH after.
    try directory.write("int deep(int x) { return x + 9; }", to: "deep.c")
    for folder in ["own", "env"] {
      try FileManager.default.createDirectory(
        atPath: directory.path(folder), withIntermediateDirectories: true)
      try Command.check(
        ["clang", "-shared", "-fPIC", "-fuse-ld=lld", "deep.c", "-o", "\(folder)/libdeep.so"],
        in: directory.url)
    }
    try check(directory.path("app"))
    try check(directory.path("app"), environment: ["LD_LIBRARY_PATH": directory.path("env")])
  }

  @Test func aLibraryThatIsMissingIsNamedWithItsNeeder() throws {
    let directory = try planted()
    try FileManager.default.removeItem(atPath: directory.path("deep/libdeep.so"))
    let found = try account(directory.path("app"))
    #expect(found.missing.map(\.name) == ["libdeep.so"])
    #expect(found.missing.map(\.neededBy) == ["libused.so"])
  }

  @Test func staticProgramsNeedNone() throws {
    let program = try Fixture.c(
      "int main(void) { return 0; }", flags: ["-static", "-fuse-ld=lld"])
    let text = try Command.check([Toolchain.firstlight, "libraries", program.executable])
    #expect(text.contains("statically linked, needs no shared libraries"))
    #expect(try account(program.executable).isStatic)
  }

  @Test func otherFilesAreNotPrograms() throws {
    let directory = try TemporaryDirectory()
    let script = try directory.write("#!/usr/bin/env sh\necho\n", to: "script")
    let text = try directory.write("hello", to: "text")
    for (path, status, words) in [
      (script, 65, "a script for /usr/bin/env sh"), (text, 65, "not an ELF file"),
      (directory.path("none"), 66, "No such file"),
    ] {
      let result = try Command.run([Toolchain.firstlight, "libraries", path])
      #expect(result.status == status && result.errors.contains(words), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1)
    }
  }

  @Test func aRunShowsWhatIsUsedWhen() throws {
    let directory = try TemporaryDirectory()
    try directory.write("int late(int x) { return x + 1; }", to: "late.c")
    try directory.write("int never(int x) { return x + 2; }", to: "never.c")
    try directory.write("int early(int x) { return x + 3; }", to: "early.c")
    try directory.write(
      """
      #include <string.h>
      int late(int), never(int), early(int);
      extern void firstlight_ready(void) __attribute__((weak));
      int main(int n, char **v) {
        int s = early(n);
        if (firstlight_ready) firstlight_ready();
        s = late(s);
        if (n > 9) s = never(s);
        return s == 0;
      }
      """, to: "app.c")
    let flags = try Toolchain.flags("clang")
    for name in ["late", "never", "early"] {
      try Command.check(
        ["clang", "-shared", "-fPIC", "-g", "\(name).c", "-o", "lib\(name).so"] + flags,
        in: directory.url)
    }
    try Command.check(
      ["clang", "-g", "app.c", "-L.", "-llate", "-lnever", "-learly", "-Wl,-rpath,$ORIGIN"] + flags
        + ["-o", "app"], in: directory.url)
    let profile = directory.path("app.flp")
    try Command.check([Toolchain.firstlight, "record", "-o", profile, "--", directory.path("app")])
    let found = try account(profile)
    #expect(found.readyMilliseconds != nil)
    #expect(found.library("liblate.so")?.verdict == "after ready")
    #expect(found.library("liblate.so")?.advice?.contains("dlopen(\"liblate.so\"") == true)
    #expect(found.library("libnever.so")?.verdict == "not called")
    #expect(found.library("libearly.so")?.verdict == "used")
    #expect(found.library("libc.so.6")?.run?.watched != true)
  }
}
