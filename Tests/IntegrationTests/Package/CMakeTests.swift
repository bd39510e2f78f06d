import Foundation
import TestSupport
import Testing

/// `find_package(Firstlight)` in real CMake projects, built by ninja and by make.
@Suite(.tags(.compiler)) struct CMakeTests {
  private let directory: TemporaryDirectory
  private static let called = ["main", "first", "second", "third"]

  /// A program of C++, a static and a shared library of C, with functions called in another order than
  /// they lie in.
  init() throws {
    directory = try TemporaryDirectory()
    try directory.write(
      """
      cmake_minimum_required(VERSION 3.18)
      project(Steps C CXX)
      find_package(Firstlight REQUIRED)
      add_library(core STATIC core.c)
      add_library(shared SHARED shared.c)
      add_executable(app main.cpp)
      target_link_libraries(app PRIVATE core shared)
      if(INSTRUMENT)
        firstlight_instrument(core ${LIBRARIES})
        firstlight_instrument(shared ${LIBRARIES})
        firstlight_instrument(${INSTRUMENT})
      endif()
      if(ORDER)
        target_compile_options(core PRIVATE -ffunction-sections)
        firstlight_order(${ORDER})
      endif()
      """, to: "CMakeLists.txt")
    try directory.write(
      """
      void never(void) { __asm__ volatile(""); }
      void third(void) { __asm__ volatile("nop"); }
      void second(void) { __asm__ volatile("nop;nop"); }
      void first(void) { __asm__ volatile("nop;nop;nop"); }
      """, to: "core.c")
    try directory.write("void loaded(void) { __asm__ volatile(\"\"); }\n", to: "shared.c")
    try directory.write(
      """
      extern "C" { void first(); void second(); void third(); void never(); void loaded(); }
      int main(int count, char **) {
        first();
        second();
        third();
        if (count > 1) never(); else loaded();
      }
      """, to: "main.cpp")
  }

  private func configure(_ options: [String], compiler: (c: String, cxx: String)) throws
    -> CommandResult
  {
    try? FileManager.default.removeItem(atPath: directory.path("build"))
    let module = Toolchain.project.appending(path: "Packaging/cmake").path
    return try Command.run(
      [
        "cmake", "-S", ".", "-B", "build", "-DFirstlight_DIR=\(module)",
        "-DFIRSTLIGHT_EXECUTABLE=\(Toolchain.firstlight)", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
        "-DCMAKE_C_COMPILER=\(compiler.c)", "-DCMAKE_CXX_COMPILER=\(compiler.cxx)",
      ] + options, in: directory.url)
  }

  private func build(_ options: [String], compiler: (c: String, cxx: String)) throws {
    let configured = try configure(options, compiler: compiler)
    try #require(configured.status == 0, "\(configured.output)\(configured.errors)")
    try Command.check(["cmake", "--build", "build"], in: directory.url)
  }

  private static let clang = (c: "clang", cxx: "clang++")
  private static let gcc = (c: "gcc", cxx: "g++")

  /// Records the program as the build left it; returns the profile.
  private func record(_ options: String...) throws -> String {
    let profile = directory.path("app.flp")
    try Command.check(
      [Toolchain.firstlight, "record", "-o", profile] + options
        + ["--", directory.path("build/app")])
    return profile
  }

  private func layout() throws -> [String] {
    try Command.check(["llvm-nm", "-n", "--defined-only", directory.path("build/app")])
      .split(separator: "\n").map { String($0.split(separator: " ").last ?? "") }
      .filter((Self.called + ["never"]).contains)
  }

  @Test(arguments: ["Ninja", "Unix Makefiles"])
  func instrumentedTargetsAreRecorded(generator: String) throws {
    try build(["-G", generator, "-DINSTRUMENT=app"], compiler: Self.clang)
    let profile = try record()
    #expect(try Answer.order([profile]) == Self.called)
    #expect(try Answer.order([profile, "--image", "libshared.so"]) == ["loaded"])
    // RelWithDebInfo optimises, and a function this small may be inlined without a record.
    #expect(
      try Answer.dead([profile]).verdicts("never").isDisjoint(with: ["called", "never called"]))
  }

  /// The list of an optimized build is complete with them.
  @Test(arguments: [gcc, clang]) func entryHooksAreSet(compiler: (c: String, cxx: String)) throws {
    try build(
      ["-G", "Ninja", "-DINSTRUMENT=app;ENTRY_HOOKS", "-DLIBRARIES=ENTRY_HOOKS"],
      compiler: compiler)
    let profile = try record()
    #expect(try Answer.order([profile]) == Self.called)
    #expect(try Answer.dead([profile]).verdicts("never") == ["never called"])
  }

  /// As packages install them.
  @Test func moduleAndToolAreFoundUnderAPrefix() throws {
    let prefix = directory.url.appending(path: "prefix")
    let module = prefix.appending(path: "share/cmake/Firstlight")
    let bin = prefix.appending(path: "bin")
    for folder in [module, bin] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    for name in ["FirstlightConfig.cmake", "Firstlight.cmake"] {
      try FileManager.default.copyItem(
        at: Toolchain.project.appending(path: "Packaging/cmake/\(name)"),
        to: module.appending(path: name))
    }
    for name in ["firstlight", "libfirstlight_rt.a"] {
      try FileManager.default.copyItem(
        at: Toolchain.products.appending(path: name), to: bin.appending(path: name))
    }
    try Command.check(
      [
        "cmake", "-G", "Ninja", "-S", ".", "-B", "build", "-DCMAKE_PREFIX_PATH=\(prefix.path)",
        "-DINSTRUMENT=app", "-DCMAKE_C_COMPILER=clang", "-DCMAKE_CXX_COMPILER=clang++",
      ], in: directory.url)
    let cache = try String(
      contentsOf: directory.url.appending(path: "build/CMakeCache.txt"), encoding: .utf8)
    #expect(cache.contains("FIRSTLIGHT_EXECUTABLE:FILEPATH=\(bin.path)/firstlight\n"))
  }

  @Test func optionsReachTheFlags() throws {
    try build(["-G", "Ninja", "-DINSTRUMENT=app;NO_INLINING;GATED"], compiler: Self.clang)
    let symbols = try Command.check(["llvm-nm", directory.path("build/app")])
    #expect(symbols.contains(" firstlight_keeps_calls\n"))
    #expect(try Answer.order([record()]) == Self.called)
  }

  /// With gcc, main lies in a section that gold's orders do not name.
  @Test(arguments: [
    ("lld", clang, "Ninja"), ("lld", gcc, "Unix Makefiles"), ("gold", clang, "Unix Makefiles"),
    ("gold", gcc, "Ninja"),
  ])
  func anOrderIsLinked(format: String, compiler: (c: String, cxx: String), generator: String)
    throws
  {
    try build(["-G", generator], compiler: compiler)
    #expect(try layout() != Self.called + ["never"])
    let order = directory.path("app.order")
    let profile = try record("--no-rebuild")
    try Command.check(
      [Toolchain.firstlight, "order", profile, "--format", format, "-o", order])
    try build(["-G", generator, "-DORDER=app;\(order)"], compiler: compiler)
    let wanted = Self.called.filter { compiler.c == "clang" || format == "lld" || $0 != "main" }
    #expect(try layout().filter { wanted.contains($0) } == wanted)

    // Another order, and only the link is made again.
    let text = try String(contentsOfFile: order, encoding: .utf8)
    let swapped = text.replacing("second", with: "?").replacing("third", with: "second")
      .replacing("?", with: "third")
    try directory.write(swapped, to: "app.order")
    try Command.check(["cmake", "--build", "build"], in: directory.url)
    #expect(try layout().filter { ["second", "third"].contains($0) } == ["third", "second"])
  }

  @Test(arguments: [("2.35", false), ("2.36", true)])
  func relocationsArePackedForTargetsThatLoadThem(target: String, isPacked: Bool) throws {
    let profile = try recordPlain()
    let order = directory.path("app.order")
    try Command.check([Toolchain.firstlight, "order", profile, "-o", order])
    try build(
      ["-G", "Ninja", "-DORDER=app;\(order);TARGET_GLIBC;\(target)"], compiler: Self.clang)
    let sections = try Command.check(["llvm-readelf", "-S", directory.path("build/app")])
    #expect(sections.contains(".relr.dyn") == isPacked)
  }

  @Test func whatCannotWorkIsNamed() throws {
    let profile = try recordPlain()
    let gnu = directory.path("app.ld")
    try Command.check([Toolchain.firstlight, "order", profile, "--format", "ld", "-o", gnu])
    let traces = directory.path("app.proftext")
    try Command.check(
      [Toolchain.firstlight, "order", profile, "--format", "proftext", "-o", traces])
    var calls: [([String], (c: String, cxx: String), String)] = [
      (["-DINSTRUMENT=app"], Self.gcc, "guards need clang 14 or newer, not GNU"),
      (["-DINSTRUMENT=nothing"], Self.clang, "there is no such target"),
      (["-DINSTRUMENT=app;FAST"], Self.clang, "unknown argument 'FAST'"),
      (
        ["-DINSTRUMENT=app", "-DFIRSTLIGHT_EXECUTABLE=/bin/false"], Self.clang,
        "/bin/false flags clang ended with 1"
      ),
      (["-DORDER=app;none.order"], Self.clang, "no order at"),
      (["-DORDER=app;none.order;TARGET_GLIBC;new"], Self.clang, "write a version such as 2.31"),
      (["-DORDER=core;\(gnu)"], Self.clang, "this library is not linked by itself"),
      (["-DORDER=app;\(traces)"], Self.clang, "holds traces, not an order"),
    ]
    let version = try Command.check(["ld.bfd", "--version"]).prefix { $0 != "\n" }
    if let minor = version.firstMatch(of: /2\.([0-9]+)/), Int(minor.1) ?? 0 < 43 {
      calls.append((["-DORDER=app;\(gnu)"], Self.clang, "is an order for GNU ld 2.43 or newer"))
    }
    for (options, compiler, words) in calls {
      let result = try configure(["-G", "Ninja"] + options, compiler: compiler)
      #expect(result.status != 0)
      // CMake wraps what it prints.
      let said = result.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(said.contains(words), "\(said)")
    }
  }

  private func recordPlain() throws -> String {
    try build(["-G", "Ninja"], compiler: Self.clang)
    return try record("--no-rebuild")
  }
}
