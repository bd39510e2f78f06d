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
      dynamic: DynamicReader.facts(elf), relocations: elf.relocationFacts,
      initializers: initializers, guardCount: guardCount,
      instrumentation: instrumentation, functionStarts: symbols.starts)
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

  /// Linker names of the functions that other images can look up here (`.dynsym`), and other names
  /// of the same code. Executables have some if linked with `--export-dynamic`.
  package var exportedFunctions: Set<TextBytes> {
    guard let table = elf.dynamicSymbols else { return [] }
    let filter = FunctionFilter(table, codeRange: elf.codeRange)
    var names: Set<TextBytes> = []
    for symbol in table where symbol.binding != .local {
      guard let name = filter.name(symbol) else { continue }
      names.insert(name.text)
      for same in symbols.at(symbol.value) { names.insert(same.name) }
    }
    return names
  }

  /// Functions that run before `main`, in order.
  package var initializers: [Initializer] { InitializerReader.initializers(self) }
}
