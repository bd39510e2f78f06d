import DebugInfo
import FirstlightModel
import Foundation
import Testing

/// Symbols in `.gnu_debugdata`, against nm on the program before it was stripped.
@Suite struct MiniDebugInfoTests {
  /// A stripped program with the symbols that `.dynsym` lacks, made as the gdb manual tells.
  private func build(_ tools: Toolbox, _ name: String, xz: [String] = ["xz"]) throws {
    try tools.buildC("program", ["-O1", "-rdynamic"])
    try tools.run("objcopy", "--only-keep-debug", "program", "debug")
    try tools.run(
      "sh", "-c",
      """
      nm -D program --format=posix --defined-only | awk '{ print $1 }' | sort >dynamic
      nm program --format=posix --defined-only | awk '$2 ~ /[Tt]/ { print $1 }' | sort >functions
      comm -13 dynamic functions >kept
      objcopy -S --remove-section .gdb_index --remove-section .comment --keep-symbols=kept debug mini
      """)
    try tools.run(["cp", "mini", "mini.data"])
    try tools.run(xz + ["-f", "mini.data"])
    try tools.run("strip", "--strip-all", "-o", "stripped", "program")
    try tools.run("objcopy", "--add-section", ".gnu_debugdata=mini.data.xz", "stripped", name)
  }

  @Test(arguments: [["xz"], ["xz", "-9e"], ["xz", "--check=sha256"]])
  func functionsAreThoseOfNM(xz: [String]) throws {
    let tools = try Toolbox()
    try build(tools, "mini-program", xz: xz)
    let listed = try tools.listedSymbols("program")
    let image = try DebugImage(path: tools.path("mini-program"), debugDirectories: [])
    #expect(image.hasLocalSymbols && !image.hasDebugInfo && image.notes == [])
    for symbol in listed {
      let same = image.symbols.at(symbol.address).first { $0.name == symbol.name }
      #expect(same?.size == symbol.size, "\(symbol.name)")
      #expect(same?.isLocal == (symbol.kind == "t"))
    }
    #expect(listed.contains { $0.name == "local_sum" && $0.kind == "t" })
    #expect(listed.contains { $0.name == "main" && $0.kind == "T" })
    let stripped = try DebugImage(path: tools.path("stripped"), debugDirectories: [])
    #expect(!stripped.hasLocalSymbols && !stripped.symbols.contains("local_sum"))
  }

  @Test func aSeparateDebugFileGoesFirst() throws {
    let tools = try Toolbox()
    try build(tools, "mini-program")
    try tools.run("objcopy", "--add-gnu-debuglink=debug", "mini-program")
    let image = try DebugImage(path: tools.path("mini-program"), debugDirectories: [])
    #expect(image.debugFile == tools.path("debug"))
    #expect(image.hasDebugInfo && image.symbols.contains("local_sum"))
  }

  /// Nothing that the section may be is worse than if it were not there.
  @Test func whatIsNotSuchASectionIsNoted() throws {
    let tools = try Toolbox()
    try build(tools, "mini-program")
    let sections: [(command: String, note: String?)] = [
      ("head -c 200000000 /dev/zero | xz -1", "too much memory"),
      ("xz --lzma2=dict=1GiB <mini", "too much memory"),
      ("head -c 300 mini.data.xz", "is damaged"), ("echo text", "is damaged"),
      ("echo text | xz", "is damaged"), ("xz <main.c", "is damaged"),
      ("xz --format=lzma <mini", "is damaged"), ("xz <stripped", "is damaged"),
      // Bytes behind it are nobody's business.
      ("cat mini.data.xz; echo text", nil),
    ]
    for (command, note) in sections {
      try tools.run("sh", "-c", "(\(command)) >section")
      try tools.run("objcopy", "--add-section", ".gnu_debugdata=section", "stripped", "other")
      let image = try DebugImage(path: tools.path("other"), debugDirectories: [])
      #expect(image.symbols.contains("main"))
      #expect(image.hasLocalSymbols == (note == nil))
      #expect(image.symbols.contains("local_sum") == (note == nil))
      #expect(image.notes.count == (note == nil ? 0 : 1), "\(command)")
      if let note { #expect(image.notes.first?.contains(note) == true, "\(image.notes)") }
    }
  }
}
