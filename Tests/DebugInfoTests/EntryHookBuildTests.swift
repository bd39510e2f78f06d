import FirstlightModel
import Testing

@testable import DebugInfo

/// Functions with entry hooks, as compilers set them; the oracles are readelf and objdump.
@Suite struct EntryHookBuildTests {
  private static let source = """
    int state;
    static inline int copied(int x) { state += x; return x * 3; }
    int called(int x) { return copied(x) + 1; }
    static __attribute__((noinline)) int local(int x) { return called(x) ^ 5; }
    __attribute__((no_instrument_function)) int bare(int x) { return copied(x) - local(x); }
    int main(int count, char **arguments) { return bare(count) & 0; }
    """
  private static let hooks = """
    #define BARE __attribute__((no_instrument_function, visibility("hidden")))
    BARE void __cyg_profile_func_enter(void *function, void *site) {}
    BARE void __cyg_profile_func_exit(void *function, void *site) {}
    """

  private func program(_ compiler: String, _ options: [String], in tools: Toolbox) throws
    -> DebugImage
  {
    try tools.write(Self.source, to: "main.c")
    try tools.write(Self.hooks, to: "hooks.c")
    try tools.run(
      [compiler, "-g", "-finstrument-functions"] + options
        + ["main.c", "hooks.c", "-Wl,--eh-frame-hdr", "-o", "program"])
    return try DebugImage(path: tools.path("program"))
  }

  private static let links = ["-pie", "-no-pie -fno-pie", "-shared -fPIC", "-static"]

  @Test(arguments: ["gcc", "clang"], links)
  func indicesAreThoseOfTheUnwindTable(compiler: String, link: String) throws {
    let tools = try Toolbox()
    let image = try program(
      compiler, ["-O2"] + link.split(separator: " ").map(String.init), in: tools)
    let frames = try tools.run("readelf", "--debug-dump=frames", "program")
    let starts = frames.matches(of: /FDE cie=\w+ pc=([0-9a-f]+)\.\./).compactMap {
      UInt64($0.1, radix: 16)
    }
    #expect(starts.count > 5)
    #expect(image.unwindTable == starts.sorted())
  }

  @Test(
    arguments: ["gcc", "clang"],
    links.flatMap { link in
      ["-O0", "-O1", "-O2", "-O3", "-Os"].map { "\($0) \(link)" }
    })
  func functionsThatPassTheirAddressAreFound(compiler: String, options: String) throws {
    let tools = try Toolbox()
    let image = try program(compiler, options.split(separator: " ").map(String.init), in: tools)
    let build = try image.entryHookBuild(recordedPath: "/p")
    #expect(build.recorder == .entryHooks && build.guardCount == image.unwindTable.count)
    #expect(Set(build.guarded.map(\.name)) == ["copied", "called", "local", "main"])
    for (function, index) in zip(build.guarded, build.entryGuards) {
      #expect(image.unwindTable[Int(index)] == function.address)
    }
    // Other copies call the hook.
    #expect(
      build.functions.filter { $0.isCopied }.allSatisfy { $0.name == "bare" } && !build.isOptimised)
    #expect(build.functions.filter { $0.isUnguarded }.map(\.name).contains("bare"))
  }

  @Test func aFileWithoutSymbolsHasAllFunctions() throws {
    let tools = try Toolbox()
    _ = try program("gcc", ["-O1"], in: tools)
    try tools.run("strip", "program")
    let image = try DebugImage(path: tools.path("program"), debugDirectories: [])
    let build = try image.entryHookBuild(recordedPath: "/p")
    #expect(build.guarded.count == image.unwindTable.count && !build.hasDebugInfo)
  }
}
