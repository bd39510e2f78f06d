import CElfutils
import FirstlightModel

extension DebugImage {
  /// Facts about the file's loading and start-up.
  ///
  /// Fails with `.data` for a file without section headers, whose parts are unknown.
  package func facts() throws(Failure) -> BinaryFacts {
    try checkUnchanged()
    guard elf.sections.contains(where: \.isAllocated) else {
      throw Failure(
        .data, "\(path): has no section headers",
        advice: "use the file as the linker wrote it")
    }
    let interpreter = elf.segments.first { $0.type == ELFSegment.interpreter }
      .flatMap { elf.file.bytes.slice($0.offset, $0.fileSize) }
      .flatMap { $0.cString(0)?.text }
    let facts = BinaryFacts(
      path: path, buildID: buildID, kind: kind, architecture: architecture,
      fileSize: UInt64(elf.file.bytes.count), isPositionIndependent: elf.isPositionIndependent,
      interpreter: interpreter,
      sections: elf.sections.filter { $0.type != 0 }.map {
        BinarySection(
          name: $0.name, address: $0.address, offset: $0.offset, size: $0.size,
          isLoaded: $0.isAllocated, isWritable: $0.flags & 1 != 0, isExecutable: $0.isExecutable,
          isInFile: $0.hasContents)
      },
      dynamic: DynamicReader.facts(elf), relocations: RelocationReader.facts(elf),
      initializers: InitializerReader.initializers(self), guardCount: guardCount,
      instrumentation: instrumentation, functionStarts: functionStarts)
    try checkUnchanged()
    return facts
  }

  /// What compilers added to observe the program.
  package var instrumentation: [Instrumentation] {
    let sections = elf.sections.compactMap { section in
      Self.instrumentationSections[section.name].map {
        Instrumentation(place: section.name, source: $0)
      }
    }
    return sections
      + (hasEntryHooks
        ? [Instrumentation(place: Self.entryHook, source: "entry hooks (firstlight flags gcc)")]
        : [])
  }

  private static let instrumentationSections = [
    "__sancov_guards": "coverage guards (firstlight flags)",
    "__sancov_cntrs": "coverage counters (-fsanitize-coverage)",
    "__llvm_prf_cnts": "profile counters (-fprofile-generate, -fprofile-instr-generate)",
    "asan_globals": "AddressSanitizer",
    "__asan_globals": "AddressSanitizer",
  ]

  private var functionStarts: [UInt64] {
    var starts: [UInt64] = []
    for entry in symbols.entries where entry.address != starts.last { starts.append(entry.address) }
    return starts
  }
}

extension DebugImage {
  /// Linker names of the functions that other images can look up here (`.dynsym`), and other names
  /// of the same code. Executables have some if linked with `--export-dynamic`.
  package var exportedFunctions: Set<TextBytes> {
    guard let section = elf.dynamicSymbols else { return [] }
    let table = SymbolTable(
      [.init(symbols: section.symbolBytes, names: section.nameBytes, sections: elf.sections)],
      codeRange: elf.codeRange)
    var names: Set<TextBytes> = []
    for index in table.entries.indices where table.entries[index].binding != 0 {
      names.insert(table.name(index))
      for symbol in symbols(at: table.entries[index].address) { names.insert(symbol.name) }
    }
    return names
  }
}

extension DebugImage {
  /// The contents of a section; nil if the file has none of this name.
  package func bytes(ofSection name: String) -> [UInt8]? {
    elf.section(name).map { section in
      let contents = elf.contents(section)
      return Array(UnsafeRawBufferPointer(start: contents.base, count: contents.count))
    }
  }

  /// The names of the libraries that the loader loads for the file.
  package var neededLibraries: [String] { DynamicReader.needed(elf) }

  /// The name of the section at a link-time address; empty if there is none.
  package func sectionName(at address: UInt64) -> String {
    elf.sections.first {
      $0.isAllocated && $0.size > 0 && address >= $0.address && address - $0.address < $0.size
    }?.name ?? ""
  }

  /// The linker names whose functions have inlined copies in debug information. Reads all units.
  package func inlinedFunctions(among names: Set<TextBytes>) -> Set<TextBytes> {
    guard hasDebugInfo, !names.isEmpty else { return [] }
    let survey = survey
    return Set(
      texts: survey.origins.lazy.filter { $0.name >= 0 }.map { survey.names[Int($0.name)] }
    )
    .intersection(names)
  }
}

extension DebugImage {
  /// The frames at many link-time addresses, in their order: from the innermost inlined function to
  /// the one in the symbol table. Without `inlines`, each address has one frame: the function from
  /// the symbol table with the line from the line table.
  package func frameTable(for addresses: [UInt64], inlines: Bool) -> FrameTable {
    FrameTableBuilder(self, inlines: inlines).table(for: addresses)
  }
}

/// Addresses and facts for tracing a program's start-up.
extension DebugImage {
  /// Link-time address of the first instruction (`e_entry`); 0 for most libraries.
  package var entryPoint: UInt64 { elf.file.bytes.load(24, as: UInt64.self) ?? 0 }

  /// Functions that run before `main`, in order.
  package var initializers: [Initializer] { InitializerReader.initializers(self) }

  /// Relocations that the loader or the program itself applies at start-up.
  package var relocations: RelocationFacts { RelocationReader.facts(elf) }

  /// Whether a dynamic loader maps the program and its libraries.
  package var hasInterpreter: Bool { elf.segments.contains { $0.type == ELFSegment.interpreter } }

  /// Whether processes of the program may copy their code to huge pages, as node and Intel's library iodlr do: the
  /// copying function has a section of its own.
  package var mayMoveItsCode: Bool { elf.section("lpstub") != nil || elf.section(".lpstub") != nil }

  /// The range of link-time code addresses.
  package var codeRange: Range<UInt64> { elf.codeRange }

  /// The range of all loaded link-time addresses.
  package var loadedRange: Range<UInt64> {
    let loads = elf.segments.filter { $0.type == ELFSegment.load }
    let low = loads.map(\.address).min() ?? 0
    let high = loads.map { $0.address &+ $0.memorySize }.max() ?? 0
    return low < high ? low..<high : 0..<0
  }

  /// Whether some of the code was written in Swift.
  package var hasSwiftCode: Bool {
    elf.section("swift5_reflstr") != nil || elf.section("swift5_types") != nil
  }

  /// The functions with these names, one for each address.
  package func functions(named names: some Collection<String>) -> [Symbol] {
    let wanted = Set(texts: names)
    let symbols = symbols
    let most = names.map(\.utf8.count).max() ?? 0
    var seen: Set<UInt64> = []
    return symbols.entries.indices.compactMap { index -> Symbol? in
      guard symbols.entries[index].nameCount <= most else { return nil }
      guard symbols.entries[index].type == SymbolTable.Entry.function else { return nil }
      let symbol = symbols.symbol(index)
      guard wanted.contains(symbol.name), seen.insert(symbol.address).inserted else { return nil }
      return symbol
    }
  }

  /// Link-time address of a dynamic symbol, function or object.
  package func dynamicSymbol(named wanted: String) -> UInt64? {
    guard let section = elf.dynamicSymbols else { return nil }
    let names = section.nameBytes
    return section.symbolBytes.records(Elf64_Sym.self).dropFirst().first {
      $0.st_shndx != 0 && names.cString(Int($0.st_name))?.text == wanted
    }?.st_value
  }
}
