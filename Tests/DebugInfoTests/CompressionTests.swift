import DebugInfo
import FirstlightModel
import Testing

/// Compressed debug sections, against llvm-symbolizer on the same program before.
@Suite struct CompressionTests {
  private func build(_ tools: Toolbox, _ version: Int) throws -> [UInt64] {
    try tools.buildC("program", ["-O2", "-gdwarf-\(version)"])
    return try tools.listedSymbols("program").filter { $0.size > 0 }.flatMap { symbol in
      (0..<8).map { symbol.address + symbol.size * $0 / 8 }
    }
  }

  /// `.zdebug_` sections, of which smaller ones stay as they are.
  @Test(arguments: [4, 5])
  func sectionsOfGNUsOlderFormAreRead(version: Int) throws {
    let tools = try Toolbox()
    let addresses = try build(tools, version)
    try tools.run("objcopy", "--compress-debug-sections=zlib-gnu", "program", "compressed")
    #expect(try tools.run("readelf", "-SW", "compressed").contains(".zdebug_info"))
    let image = try DebugImage(path: tools.path("compressed"), debugDirectories: [])
    #expect(image.lines(at: addresses) == (try tools.symbolized("program", addresses)))
    #expect(image.notes == [])
    let plain = try DebugImage(path: tools.path("program"), debugDirectories: [])
    let inlined = image.symbolBuild(recordedPath: "").functions.filter { $0.isCopied }
    #expect(inlined == plain.symbolBuild(recordedPath: "").functions.filter { $0.isCopied })
    #expect(inlined.contains { $0.name == "twice" })
  }

  /// No linker compresses them; eu-elfcompress does, if asked to.
  @Test(arguments: [".symtab", ".strtab"])
  func compressedSymbolTablesAreRefused(section: String) throws {
    let tools = try Toolbox()
    _ = try build(tools, 5)
    try tools.run(
      "eu-elfcompress", "--force", "--permissive", "-t", "zlib", "--name", section, "-o",
      "compressed", "program")
    #expect(try tools.run("readelf", "-tW", "compressed").contains("COMPRESSED"))
    let failure = #expect(throws: Failure.self) {
      try DebugImage(path: tools.path("compressed"), debugDirectories: [])
    }
    #expect(failure?.kind == .data)
    #expect(failure?.problem.hasSuffix("compressed: its symbol table is compressed") == true)
    try tools.run(
      "eu-elfcompress", "-t", "none", "--name", ".symtab", "--name", ".strtab", "-o", "again",
      "compressed")
    #expect(try DebugImage(path: tools.path("again"), debugDirectories: []).hasSymbols)
  }

  /// What the installed elfutils can do, eu-readelf shows: it reads sections by the same library.
  @Test func zstdIsReadOrRefusedWithWhatToDo() throws {
    let tools = try Toolbox()
    let addresses = try build(tools, 5)
    try tools.run("objcopy", "--compress-debug-sections=zstd", "program", "compressed")
    #expect(try tools.run("readelf", "-tW", "compressed").contains("ZSTD"))
    let image = try DebugImage(path: tools.path("compressed"), debugDirectories: [])
    let expected = try tools.symbolized("program", addresses)
    let version =
      try tools.run("eu-readelf", "--version").split(separator: "\n")[0]
      .split(separator: " ").last.map(String.init) ?? ""
    let isKnown = try tools.run(
      "sh", "-c", "eu-readelf --debug-dump=info compressed 2>/dev/null || true"
    ).contains("compile_unit")
    if isKnown {
      #expect(image.lines(at: addresses) == expected)
      #expect(image.notes == [])
      return
    }
    let answers = image.lines(at: addresses)
    #expect(answers.map { $0[0] } == expected.map { $0[$0.count - 2] })
    #expect(
      image.notes == [
        "\(tools.path("compressed")): its debug information is ignored: the installed "
          + "elfutils \(version) cannot inflate zstd; recompress it with objcopy --compress-debug-sections=zlib"
      ])
    try tools.run("objcopy", "--compress-debug-sections=zlib", "compressed", "readable")
    let readable = try DebugImage(path: tools.path("readable"), debugDirectories: [])
    #expect(readable.lines(at: addresses) == expected)
  }
}
