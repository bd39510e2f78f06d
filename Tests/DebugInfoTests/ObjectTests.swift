import DebugInfo
import FirstlightModel
import Foundation
import Testing

/// Object files and members of archives, against llvm-symbolizer: on the object itself where it has one section
/// of code, on what a linker makes of it where it has several.
@Suite struct ObjectTests {
  private func build(_ tools: Toolbox, _ words: [String]) throws {
    try tools.write(Fixtures.main, to: "main.c")
    try tools.write(Fixtures.header, to: "shape.h")
    try tools.run(words + ["-c", "main.c", "-o", "main.o"])
  }

  private func open(_ path: String) throws -> DebugImage {
    try DebugImage(path: path, debugDirectories: [], objects: true)
  }

  @Test(arguments: [
    ["-g", "-O2", "-gdwarf-5"], ["-g", "-O2", "-gdwarf-4"], ["-g", "-O0", "-gdwarf-5"],
    ["-g", "-O2", "-gz=zlib"], ["-g", "-O2", "-gdwarf64", "-gdwarf-5"], ["-g", "-O2", "-fPIC"],
    ["-g", "-O2", "--target=aarch64-linux-gnu", "-nostdinc", "-Dprintf=__builtin_printf"],
  ])
  func anObjectWithOneSectionOfCodeIsRead(flags: [String]) throws {
    let tools = try Toolbox()
    if flags.contains("-nostdinc") { try tools.write("", to: "stdio.h") }
    try build(tools, ["clang", "-I."] + flags)
    // LineTests has what is said of those that it cannot read.
    guard try tools.elfutilsReadsLines(of: "main.o") else { return }
    try expectAgreement(tools, "main.o")
  }

  private func expectAgreement(
    _ tools: Toolbox, _ name: String, oracle: String? = nil
  ) throws {
    let symbols = try tools.listedSymbols(name).filter { $0.size > 0 }
    let addresses = symbols.flatMap { symbol in
      (0..<8).map { symbol.address + symbol.size * $0 / 8 }
    }
    let image = try open(tools.path(name))
    #expect(image.isObject)
    #expect(image.notes == [])
    try expectAgreement(image, tools, oracle ?? name, addresses)
    #expect(image.lines(at: addresses).contains { $0.contains("local_sum") })
    for symbol in symbols {
      #expect(image.symbols(at: symbol.address).contains { $0.name == symbol.name })
    }
  }

  /// All that llvm-symbolizer says but for the function itself, which it calls by symbols of whatever section:
  /// this by nm.
  private func expectAgreement(
    _ image: DebugImage, _ tools: Toolbox, _ name: String, _ addresses: [UInt64]
  ) throws {
    let expected = try tools.symbolized(name, addresses)
    let symbols = try tools.listedSymbols(name)
    try #require(expected.count == addresses.count)
    #expect(expected.contains { $0[1].contains(".c:") })
    for (index, answer) in image.lines(at: addresses).enumerated() {
      var (answer, oracle) = (answer, expected[index])
      let function = answer.remove(at: answer.count - 2)
      oracle.remove(at: oracle.count - 2)
      #expect(answer == oracle)
      let address = addresses[index]
      #expect(
        symbols.contains {
          $0.name == function && $0.address <= address && address - $0.address < $0.size
        })
    }
  }

  @Test func anObjectWithGNUCompressedSectionsIsRead() throws {
    let tools = try Toolbox()
    try build(tools, ["clang", "-g", "-O2"])
    // llvm-symbolizer does not read them.
    try tools.run("objcopy", "--compress-debug-sections=zlib-gnu", "main.o", "compressed.o")
    #expect(try tools.run("readelf", "-SW", "compressed.o").contains(".zdebug_info"))
    try expectAgreement(tools, "compressed.o", oracle: "main.o")
  }

  @Test(arguments: [
    ["clang", "-g", "-O2", "-ffunction-sections"],
    ["clang", "-g", "-O2", "-ffunction-sections", "-gdwarf-4", "-gz=zlib"],
    ["gcc", "-g", "-O2", "-ffunction-sections"], ["gcc", "-g", "-O2", "-gdwarf-4"],
  ])
  func sectionsOfCodeLieOneAfterTheOther(words: [String]) throws {
    let tools = try Toolbox()
    try build(tools, words)
    let image = try open(tools.path("main.o"))
    #expect(image.notes == [])
    let functions = try functionSections(tools, "main.o")
    #expect(Set(functions.map(\.section)).count > 1)
    // What a linker makes of it has other addresses, and the same functions.
    try tools.run(
      "ld.lld", "--unresolved-symbols=ignore-all", "-e", "never", "main.o", "-o", "linked")
    let linked = Dictionary(
      try tools.listedSymbols("linked").map { ($0.name, $0.address) }, uniquingKeysWith: { $1 })
    var places: [UInt64] = []
    var linkedPlaces: [UInt64] = []
    for function in functions {
      for part in 0..<8 as Range<UInt64> {
        let offset = function.size * part / 8
        places.append(try image.address(of: function.name, offset: offset))
        linkedPlaces.append(try #require(linked[function.name]) + offset)
        #expect(
          try image.address(of: function.section, offset: function.address + offset)
            == places.last)
      }
    }
    #expect(Set(places).count == Set(linkedPlaces).count)
    let expected = try tools.symbolized("linked", linkedPlaces)
    #expect(expected.contains { $0.count > 4 })
    #expect(image.lines(at: places) == expected)
  }

  private struct PlacedFunction {
    var name: String
    var section: String
    var address: UInt64
    var size: UInt64
  }

  /// Functions and their sections, by readelf.
  private func functionSections(_ tools: Toolbox, _ name: String) throws -> [PlacedFunction] {
    var sections: [String: String] = [:]
    for line in try tools.run("readelf", "-SW", name).split(separator: "\n") {
      let words = line.replacingOccurrences(of: "[ ", with: "[").split(separator: " ")
      if words.count > 4, words[0].hasPrefix("[") {
        sections[words[0].trimmingCharacters(in: ["[", "]"])] = String(words[1])
      }
    }
    return try tools.run("readelf", "-sW", name).split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 8, words[3] == "FUNC", words[7] != "other_name",
        let section = sections[words[6]]
      else { return nil }
      return PlacedFunction(
        name: words[7], section: section, address: UInt64(words[1], radix: 16)!,
        size: UInt64(words[2])!)
    }
  }

  @Test func invalidPlacesAreReportedWithTheReason() throws {
    let tools = try Toolbox()
    try tools.write("static int f(int x) { return x; } int (*a)(int) = f;", to: "a.c")
    try tools.write("static int f(int x) { return -x; } int (*b)(int) = f;", to: "b.c")
    try tools.run("clang", "-c", "-g", "a.c", "b.c")
    try tools.run("ld", "-r", "a.o", "b.o", "-o", "both.o")
    let image = try open(tools.path("both.o"))
    func problem(_ name: String, _ offset: UInt64) -> String? {
      do {
        _ = try image.address(of: name, offset: offset)
        return nil
      } catch {
        return error.problem
      }
    }
    #expect(problem("f", 0) == "f is the name of 2 places")
    #expect(problem("none", 0) == "no function or code section is named none")
    #expect(problem(".data", 0) == "no function or code section is named .data")
    #expect(problem(".text", 1 << 20)?.contains("beyond its end") == true)
    #expect(try image.address(of: ".text", offset: 1) == 1)
  }

  @Test(arguments: ["ar", "llvm-ar"])
  func membersOfAnArchiveAreRead(ar: String) throws {
    let tools = try Toolbox()
    try build(tools, ["clang", "-g", "-O2"])
    try tools.write(Fixtures.shape, to: "shape.c")
    let long = "a-name-of-more-than-sixteen-characters(1).o"
    try tools.run("clang", "-g", "-O2", "-c", "shape.c", "-o", long)
    try tools.run(ar, "rc", "libx.a", "main.o", long)
    for member in ["main.o", long] {
      let addresses = try tools.listedSymbols(member).flatMap { [$0.address, $0.address + 3] }
      let image = try open("\(tools.path("libx.a"))(\(member))")
      try expectAgreement(image, tools, member, addresses)
      #expect(image.path == "\(tools.path("libx.a"))(\(member))")
      #expect(image.notes == [])
    }
    try tools.run("mkdir", "other")
    try tools.run("clang", "-c", "shape.c", "-o", "other/main.o")
    try tools.run(ar, "qc", "libx.a", "other/main.o")
    let first = try open("\(tools.path("libx.a"))(main.o)")
    #expect(first.hasSymbol(named: "local_sum"))
    #expect(first.notes.count == 1)
    #expect(first.notes.first?.contains("2 members of this name") == true)
  }

  @Test func whatNamesNoMemberSaysWhatToName() throws {
    let tools = try Toolbox()
    try build(tools, ["clang", "-g"])
    try tools.run("ar", "rc", "libx.a", "main.o")
    try tools.run("ar", "rcT", "thin.a", "main.o")
    try tools.write("text", to: "text.o")
    try tools.run("ar", "rc", "text.a", "text.o")
    let library = tools.path("libx.a")
    let expected: [(String, String)] = [
      ("libx.a", "use a member: '\(library)(main.o)'"),
      ("libx.a(none.o)", "\(library): has no member none.o"),
      ("libx.a()", "has no member"), ("main.o(main.o)", "not an archive"),
      ("thin.a", "a thin archive"), ("thin.a(main.o)", "a thin archive"),
      ("text.a(text.o)", "\(tools.path("text.a"))(text.o): not an ELF file"),
    ]
    for (name, text) in expected {
      let failure = #expect(throws: Failure.self) { try open(tools.path(name)) }
      #expect(failure?.kind == .data)
      #expect("\(failure!)".contains(text), "\(failure!)")
    }
    // Who wants a program says what else it is.
    for (name, text) in [("libx.a", "archive of object files"), ("main.o", "object file")] {
      let failure = #expect(throws: Failure.self) { try DebugImage(path: tools.path(name)) }
      #expect(failure?.problem.contains(text) == true)
    }
  }

  @Test func anObjectWhoseSectionsOverlapIsRefused() throws {
    let tools = try Toolbox()
    try build(tools, ["clang", "-g"])
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: tools.path("main.o"))))
    let headers = bytes.withUnsafeBytes {
      Int($0.loadUnaligned(fromByteOffset: 40, as: UInt64.self))
    }
    // Three sections that are the whole file each.
    for section in 3..<6 {
      let place = headers + section * 64 + 24
      bytes.replaceSubrange(
        place..<place + 16, with: ELFWriter.bytes(UInt64(0)) + ELFWriter.bytes(UInt64(bytes.count)))
    }
    try Data(bytes).write(to: URL(fileURLWithPath: tools.path("main.o")))
    let failure = #expect(throws: Failure.self) { try open(tools.path("main.o")) }
    #expect(failure?.problem.contains("its sections overlap") == true)
  }

  @Test func anObjectIsNotLoaded() throws {
    let tools = try Toolbox()
    try build(tools, ["clang", "-g"])
    let failure = #expect(throws: Failure.self) { try open(tools.path("main.o")).facts() }
    #expect(failure?.problem.contains("an object file, not an executable") == true)
  }

  @Test func aDamagedObjectFailsOrAnswersButNeverCrashes() throws {
    let tools = try Toolbox()
    try build(tools, ["clang", "-g", "-O2", "-ffunction-sections", "-gz=zlib"])
    try tools.run("ar", "rc", "libx.a", "main.o")
    var random = FixedGenerator(state: 7)
    for (name, suffix) in [("main.o", ""), ("libx.a", "(main.o)")] {
      let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: tools.path(name))))
      var opened = 0
      for round in 0..<100 {
        var bytes = whole
        // Half of the rounds hit what comes last: section headers.
        for _ in 0..<(1 << Int.random(in: 0..<7, using: &random)) {
          let start = round % 2 == 0 ? 0 : max(0, bytes.count - 4096)
          bytes[Int.random(in: start..<bytes.count, using: &random)] =
            .random(in: 0...255, using: &random)
        }
        if round % 5 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
        let path = tools.path("damaged")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        guard let image = try? open(path + suffix) else { continue }
        opened += 1
        _ = image.frameTable(for: (0..<64).map { $0 * 8 } + [.max], inlines: true)
        _ = image.notes
      }
      #expect(opened > 5)
    }
  }
}
