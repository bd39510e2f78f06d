import Foundation
import TestSupport
import Testing

/// What `import sancov` takes for watched, by what llvm-objdump shows.
@Suite(.tags(.compiler)) struct SancovTests {
  /// Functions whose code calls the hook, by llvm-objdump.
  private func hooked(in binary: String) throws -> Set<String> {
    var function = ""
    var found: Set<String> = []
    for line in try Command.check(["llvm-objdump", "-d", "--no-show-raw-insn", binary])
      .split(separator: "\n")
    {
      if line.hasSuffix(">:"), let start = line.firstIndex(of: "<") {
        function = String(line[line.index(after: start)...].dropLast(2))
      } else if line.contains("call"),
        line.contains(/<__sanitizer_cov_trace_pc_guard(@plt)?>/)
      {
        found.insert(function)
      }
    }
    return found
  }

  /// In an executable the hook is there itself, in a shared library it is called through a table.
  @Test(arguments: [["-O0"], ["-O1", "-fno-plt"]])
  func instrumentedIsWhatCallsTheHook(options: [String]) throws {
    let directory = try TemporaryDirectory()
    let library = try directory.write(
      "int unused(void) { return 1; }\nint used(int x) { return x > 1 ? used(x - 1) : 3; }\n",
      to: "library.c")
    let main = try directory.write(
      """
      #include <string>
      extern "C" int used(int);
      int never(int x) { return x * 2; }
      int main(int count, char **) {
        std::string text(count, 'x');
        return count > 3 ? never(count) : used(count) + int(text.size()) == 1;
      }
      """, to: "main.cpp")
    let flags = options + ["-g", "-fsanitize=address", "-fsanitize-coverage=func,trace-pc-guard"]
    let program = directory.path("program")
    let shared = directory.path("libused.so")
    try Command.check(["clang"] + flags + ["-fPIC", "-shared", library, "-o", shared])
    try Command.check(
      ["clang++"] + flags
        + [main, "-o", program, shared, "-Wl,-rpath,\(directory.url.path)", "-fuse-ld=lld"])
    let dumps = directory.path("dumps")
    try FileManager.default.createDirectory(atPath: dumps, withIntermediateDirectories: true)
    _ = try Command.run(
      [program], environment: ["ASAN_OPTIONS": "coverage=1:coverage_dir=\(dumps):detect_leaks=0"])
    for (binary, dead) in [(program, "_Z5neveri"), (shared, "unused")] {
      let name = URL(fileURLWithPath: binary).lastPathComponent
      let dump = try #require(
        try FileManager.default.contentsOfDirectory(atPath: dumps).first {
          $0.hasPrefix("\(name).")
        })
      let profile = directory.path("\(name).flp")
      try Command.check([
        Toolchain.firstlight, "import", "sancov", "\(dumps)/\(dump)", "--binary", binary, "-o",
        profile,
      ])
      let all = try Answer.dead([profile, "--all"])
      let watched = all.functions.flatMap(\.pieces).filter { $0.place == "guarded" }
      #expect(Set(watched.map(\.mangledName)) == (try hooked(in: binary)))
      // In an optimised build a copy of it may have run.
      if options.contains("-O0") {
        #expect(try Answer.dead([profile]).mangledNames == [dead])
      }
    }
  }

  @Test func aBinaryWithoutTheHookIsNotTheOneThatWasRecorded() throws {
    let program = try Fixture.c("int main(void) { return 0; }", flags: Fixture.plain)
    let dump = program.directory.path("x.1.sancov")
    try Data([0x64, 0xff, 0xff, 0xff, 0xff, 0xff, 0xbf, 0xc0]).write(
      to: URL(fileURLWithPath: dump))
    let result = try Command.run([
      Toolchain.firstlight, "import", "sancov", dump, "--binary", program.executable, "-o",
      program.directory.path("p.flp"),
    ])
    #expect(result.status == 65)
    #expect(result.errors.contains("calls a sanitizer's coverage hook"))
  }
}
