import DebugInfo
import FirstlightModel
import Testing

@Suite struct GuardTests {
  /// How a program can be linked, and what kind that makes it.
  @Test(arguments: [
    (["-fPIE", "-pie"], ImageKind.executable), (["-fno-pie", "-no-pie"], .executable),
    (["-fPIE", "-static-pie"], .executable), (["-fno-pie", "-no-pie", "-static"], .executable),
    (["-fPIC", "-shared"], .sharedLibrary),
    (["-fPIE", "-pie", "-Wl,-z,pack-relative-relocs"], .executable),
    (["-fPIE", "-pie", "-Wl,-z,rel"], .executable),
    (["-fPIE", "-pie", "-Wl,--apply-dynamic-relocs"], .executable),
    (["-fPIE", "-static-pie", "-Wl,-z,pack-relative-relocs"], .executable),
  ])
  func everyGuardHasItsFunction(flags: [String], kind: ImageKind) throws {
    let tools = try Toolbox()
    try tools.buildC("program", ["-O1", Toolbox.guards] + flags)
    let image = try DebugImage(path: tools.path("program"))
    #expect(image.kind == kind)
    #expect(image.architecture == (try tools.run("uname", "-m")).split(separator: "\n")[0])
    #expect(image.isInstrumented)
    #expect(image.guardCount * 4 == (try tools.sectionSize("program", "__sancov_guards")))
    #expect(image.pcTable.count * 16 == (try tools.sectionSize("program", "__sancov_pcs")))
    let listed = try tools.listedSymbols("program")
    let (functions, entryGuards) = image.functions()
    #expect(entryGuards == (0..<UInt32(image.guardCount)).map { $0 })
    var names: [String] = []
    for function in functions {
      let symbols = listed.filter { $0.address == function.address }
      #expect(symbols.map(\.name).sorted() == ([function.name] + function.aliases).sorted())
      #expect(symbols.contains { $0.size == function.size })
      #expect(function.isLocal == (function.name == "local_sum"))
      #expect(!function.isCompilerGenerated)
      names += [function.name] + function.aliases
    }
    #expect(
      Set(names) == ["local_sum", "main", "never", "original", "other_name", "shape_area"])
    let never = try #require(functions.first { $0.name == "never" })
    #expect(never.file == tools.path("main.c"))
    let lines = Fixtures.main.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[never.line - 1].contains("int never("))
  }

  /// Makefiles of subdirectories name their neighbours' files so; a repository's paths have no dots.
  @Test func placesHaveNoDots() throws {
    let tools = try Toolbox()
    try tools.run("mkdir", "-p", "app", "lib/deep")
    try tools.write("int used(int x) { return x + 1; }", to: "lib/used.c")
    try tools.write("int used(int);\nint main(void) { return used(0); }", to: "app/main.c")
    try tools.write(Fixtures.hooks, to: "hooks.c")
    try tools.run(
      ["clang", "-g", Toolbox.guards, "-fuse-ld=lld", "-Wl,--build-id"]
        + ["app/../lib/deep/.././used.c", "./app/main.c", "hooks.c", "-o", "program"])
    let functions = try DebugImage(path: tools.path("program")).functions().functions
    #expect(
      functions.map(\.file).sorted { ($0 ?? "") < ($1 ?? "") }
        == [tools.path("app/main.c"), tools.path("lib/used.c")])
  }

  @Test func atLevelEdgeOnlyEntriesAreFunctions() throws {
    let tools = try Toolbox()
    try tools.buildC("program", ["-O0", "-fsanitize-coverage=edge,trace-pc-guard,pc-table"])
    let image = try DebugImage(path: tools.path("program"))
    let (functions, entryGuards) = image.functions()
    #expect(functions.count < image.guardCount)
    #expect(functions.count == entryGuards.count)
    #expect(
      Set(functions.map(\.name)).isSuperset(of: ["main", "local_sum", "shape_area", "twice"]))
    #expect(Set(functions.map(\.name)).count == functions.count)
  }

  @Test(arguments: [["-Onone"], ["-O", "-wmo"]])
  func swiftFunctionsHaveNamesModulesAndPlaces(flags: [String]) throws {
    let tools = try Toolbox()
    try tools.buildSwift("shapes", flags, guards: true)
    let image = try DebugImage(path: tools.path("shapes"))
    let build = try image.build(recordedPath: "/then/shapes")
    #expect(build.path == "/then/shapes")
    #expect(build.guardCount * 4 == (try tools.sectionSize("shapes", "__sancov_guards")))
    let run = try #require(build.guarded.first { $0.name == "$s6Shapes3runyS2iF" })
    #expect(run.demangledName == "Shapes.run(Swift.Int) -> Swift.Int")
    #expect(run.module == "Shapes")
    #expect(run.file == tools.path("main.swift"))
    let lines = Fixtures.swift.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[run.line - 1].hasPrefix("func run("))
    #expect(!run.isCompilerGenerated)
    let made = build.guarded.filter(\.isCompilerGenerated)
    #expect(made.contains { $0.demangledName.hasPrefix("protocol witness for") })
    for function in build.guarded {
      let listed = function.isCompilerGenerated || (function.file != nil && function.line > 0)
      #expect(listed, Comment(rawValue: function.name))
    }
  }

  @Test func aProgramWithoutGuardsSaysSo() throws {
    let tools = try Toolbox()
    try tools.buildC("program", ["-O1"])
    let image = try DebugImage(path: tools.path("program"))
    #expect(!image.isInstrumented)
    #expect(image.pcTable.isEmpty)
    #expect { try image.build(recordedPath: "x") } throws: { error in
      (error as? Failure)?.kind == .data && "\(error)".contains(tools.path("program"))
    }
  }

  /// clang makes a wrapper for each thread-local variable, without debug information.
  @Test func whatClangMadeIsCompilerGenerated() throws {
    let tools = try Toolbox()
    try tools.write(
      """
      #include <string>
      thread_local std::string text("x");
      int main() { text += "y"; return text.size() == 2 ? 0 : 1; }
      """, to: "local.cpp")
    try tools.run(
      "clang++", "-g", "-O0", "-fsanitize-coverage=trace-pc-guard,pc-table", "-c", "local.cpp",
      "-o", "local.o")
    try tools.write(
      """
      void __sanitizer_cov_trace_pc_guard(unsigned *g) { (void)g; }
      void __sanitizer_cov_trace_pc_guard_init(unsigned *a, unsigned *b) { (void)a; (void)b; }
      void __sanitizer_cov_pcs_init(const void *a, const void *b) { (void)a; (void)b; }
      """, to: "hooks.c")
    try tools.run("clang", "-c", "hooks.c", "-o", "hooks.o")
    try tools.run("clang++", "-fuse-ld=lld", "local.o", "hooks.o", "-o", "local")
    let image = try DebugImage(path: tools.path("local"), debugDirectories: [])
    let made = image.functions().functions.filter { $0.name.hasPrefix("_ZTW") }
    #expect(made.count == 1 && made.allSatisfy(\.isCompilerGenerated))
  }

  @Test func aStrippedProgramKeepsItsGuards() throws {
    let tools = try Toolbox()
    try tools.buildC("program", ["-O1", Toolbox.guards])
    let before = try DebugImage(path: tools.path("program")).pcTable
    try tools.run("objcopy", "--strip-all", "program", "stripped")
    let image = try DebugImage(path: tools.path("stripped"))
    #expect(image.pcTable == before)
    let hidden = try #require(
      image.functions().functions.first { function in
        !image.symbols.contains(function.name)
      })
    #expect(hidden.name.isEmpty)
    #expect(hidden.demangledName == "fn_\(String(hidden.address!, radix: 16))")
    #expect(!hidden.isCompilerGenerated)
  }
}
