import FirstlightModel

/// An index of one ELF file: its functions, its guards, and where in the source they come from.
///
/// Immutable. What costs time to read (symbols, the debug information of each compilation unit) is
/// read when first asked for; any number of threads may ask.
package final class DebugImage: Sendable {
  package let path: String
  /// Nil if the file was linked without one.
  package let buildID: BuildID?
  package let kind: ImageKind
  /// As `uname -m` names it.
  package let architecture: String
  /// Whether there is debug information, in the file or in `debugFile`.
  package let hasDebugInfo: Bool
  /// The separate file that symbols or debug information were taken from.
  package let debugFile: String?
  /// Number of guards, of all kinds; 0 if the file isn't instrumented.
  package let guardCount: Int
  /// Link-time address of the first guard; 0 if the file isn't instrumented.
  package let guardsStart: UInt64

  let elf: ELFFile
  /// What of an object file couldn't be read, for people.
  private let objectProblems: [String]
  private let separate: ELFFile?
  /// Where more files may be looked for; nil: none is opened.
  private let search: DebugFileSearch?
  private let lazySymbols = Lazy<SymbolTable>()
  private let lazyMiniDebugInfo = Lazy<MiniDebugInfo?>()
  private let lazyPCTable = Lazy<[GuardEntry]>()
  private let lazyNames = Lazy<Set<String>>()
  let lazyPlaces = Lazy<NamedPlaces>()
  private let lazyDWARF = Lazy<DWARFIndex>()
  private let lazySurvey = Lazy<CodeSurvey>()

  /// Opens an ELF file and looks for its separate debug file if it lacks symbols or debug
  /// information: by build id and by `.gnu_debuglink` (whose checksum must match), beside the file,
  /// in `.debug/` there, and below each of `debugDirectories`; by build id also in `debuginfodCache`, a
  /// folder where debuginfod's clients keep what they fetched.
  ///
  /// Fails with `.noInput` if the file can't be read, with `.data` if it isn't a whole 64-bit
  /// executable or shared library for x86_64 or aarch64. Every failure names the file.
  ///
  /// - Parameter objects: whether an object file will do too, and a member of an archive, written
  ///   `libx.a(member.o)`. Link-time addresses are then those of its sections of code placed one after the
  ///   other from 0, each aligned as it wants.
  package convenience init(
    path: String, debugDirectories: [String] = ["/usr/lib/debug"], debuginfodCache: String? = nil,
    objects: Bool = false
  ) throws(Failure) {
    let search = DebugFileSearch(
      directories: debugDirectories, debuginfodCache: debuginfodCache)
    let elf: ELFFile
    var problems: [String] = []
    if objects {
      let object = try ObjectFile(path: path)
      elf = object.elf
      problems = object.problems
    } else {
      elf = try ELFFile(try MappedFile(path: path))
    }
    self.init(
      elf,
      separate: Self.isComplete(elf) || elf.isRelocatable
        ? nil : SeparateDebugFile.find(for: elf, buildID: Notes.buildID(elf), search),
      search, objectProblems: problems)
  }

  /// Reads an ELF file that is mapped, and opens no other.
  ///
  /// - Parameter debugFile: what may be its separate debug file; left aside if it doesn't belong to it or
  ///   isn't needed.
  /// - Throws: `.data` as `init(path:debugDirectories:)`.
  package convenience init(file: MappedFile, debugFile: MappedFile? = nil) throws(Failure) {
    let elf = try ELFFile(file)
    self.init(
      elf,
      separate: Self.isComplete(elf)
        ? nil : debugFile.flatMap { SeparateDebugFile.fitting($0, for: elf) }, nil)
  }

  private init(
    _ elf: ELFFile, separate: ELFFile?, _ search: DebugFileSearch?, objectProblems: [String] = []
  ) {
    self.objectProblems = objectProblems
    self.search = search
    path = elf.path
    self.elf = elf
    self.separate = separate
    buildID = Notes.buildID(elf)
    kind = elf.kind
    architecture = elf.architecture
    debugFile = separate?.path
    hasDebugInfo = elf.hasDWARF || separate?.hasDWARF == true
    let guards = elf.section("__sancov_guards")
    // Counted in what is there, so that a header alone can't claim billions.
    guardCount = guards.map { elf.contents($0).count / 4 } ?? 0
    guardsStart = guards?.address ?? 0
  }

  private static func isComplete(_ elf: ELFFile) -> Bool {
    elf.section(".symtab") != nil && elf.hasDWARF
  }

  /// Whether symbols or debug information have to be looked for in another file.
  package var lacksDebugFile: Bool { separate == nil && !Self.isComplete(elf) }

  /// The build ids of files that symbols or debug information are in and that were not found: the image's
  /// own, or that of what `dwz` moved to another file.
  package var missingDebugFiles: [BuildID] {
    guard !isObject else { return [] }
    if lacksDebugFile { return buildID.map { [$0] } ?? [] }
    let file = elf.hasDWARF ? elf : separate ?? elf
    guard let search, let link = Notes.alternateLink(file), let id = link.buildID else { return [] }
    return AlternateFile.find(link, for: file, search) == nil ? [id] : []
  }

  /// The name of the separate debug file (`.gnu_debuglink`), without any folder; nil if it has none.
  package var debugLink: String? {
    Notes.debugLink(elf).flatMap { $0.name.contains("/") ? nil : $0.name }
  }

  /// Whether it is an object file, which a linker has not placed yet.
  package var isObject: Bool { elf.isRelocatable }

  /// Whether the file was compiled with guards.
  package var isInstrumented: Bool { guardCount > 0 }

  /// Whether any function has a name.
  package var hasSymbols: Bool { !symbols.entries.isEmpty }

  /// For each guard where it is; empty if the file has no PC table, or one that doesn't match the
  /// guards (some of its objects were compiled without).
  package var pcTable: [GuardEntry] {
    lazyPCTable.value { PCTable.entries(elf, guardCount: guardCount) }
  }

  /// What of the debug information couldn't be read, for people; empty if all could.
  package var notes: [String] {
    prepare()
    var notes = hasDebugInfo ? dwarf.notes : []
    if let problem = miniDebugInfo?.problem { notes.append(problem) }
    if symbols.isIncomplete {
      notes.append("symbols are left out: their names, sharing text, are longer than the file")
    }
    return objectProblems.map { "\(path): \($0)" } + notes.map { "\(debugFile ?? path): \($0)" }
  }

  /// Fails with `.data` if a file that it reads was cut short or written to since it was opened: then what
  /// it answered may be wrong, though no worse than that. Ask after the answers. Another file in the place
  /// of one does no harm.
  package func checkUnchanged() throws(Failure) {
    try elf.file.checkUnchanged()
    try separate?.file.checkUnchanged()
  }

  /// Whether names local to an object file are there too: the file isn't stripped, or its separate
  /// debug file was found, or it has its symbols in `.gnu_debugdata`.
  package var hasLocalSymbols: Bool {
    elf.symbolTable != nil || separate?.symbolTable != nil || miniDebugInfo?.file != nil
  }

  /// The `.gnu_debugdata` of a stripped file; nil if there is none, or a symbol table makes it unnecessary.
  private var miniDebugInfo: MiniDebugInfo? {
    guard elf.symbolTable == nil, separate?.symbolTable == nil else { return nil }
    return lazyMiniDebugInfo.value { MiniDebugInfo(elf) }
  }

  /// The function symbols, of `.symtab` if there is one, else of `.dynsym`.
  var symbols: SymbolTable {
    lazySymbols.value {
      for sources in symbolSections {
        let table = SymbolTable(
          sources.map {
            .init(symbols: $0.symbolBytes, names: $0.nameBytes, sections: $0.file.sections)
          }, codeRange: elf.codeRange)
        // Few names are asked for.
        for source in sources { source.release() }
        if !table.entries.isEmpty { return table }
      }
      return .empty
    }
  }

  /// Where symbols are, best first; those in one list add up.
  var symbolSections: [[SymbolSection]] {
    let dynamic = elf.dynamicSymbols
    let mini = miniDebugInfo?.file?.symbolTable
    return [
      [elf.symbolTable], [separate?.symbolTable], mini == nil ? [] : [mini, dynamic], [dynamic],
      [separate?.dynamicSymbols],
    ].map { $0.compactMap { $0 } }.filter { !$0.isEmpty }
  }

  /// Reads symbols and the outline of the debug information, at the same time.
  func prepare() {
    guard hasDebugInfo else { return }
    Parallel.forEach(2, batch: 1) { part in
      if part.lowerBound == 0 { _ = dwarf } else { _ = symbols }
    }
  }

  /// Ask only if `hasDebugInfo`.
  var dwarf: DWARFIndex {
    lazyDWARF.value {
      DWARFIndex(
        elf.hasDWARF ? elf : separate ?? elf, code: elf.codeRange, codeSize: elf.codeSize, search)
    }
  }

  /// Describes all functions from debug information. Ask only if `hasDebugInfo`.
  var survey: CodeSurvey { lazySurvey.value { makeSurvey() } }

  /// The function whose code is at a link-time address.
  package func symbol(containing address: UInt64) -> Symbol? {
    let symbols = symbols
    return symbols.index(containing: address).map(symbols.symbol)
  }

  /// All names of the function that starts at a link-time address, best first: the largest, and of
  /// equally large ones the last in the file, as llvm-symbolizer chooses.
  package func symbols(at address: UInt64) -> [Symbol] {
    let symbols = symbols
    return symbols.indices(at: address).reversed().map(symbols.symbol)
  }

  /// All function symbols, sorted by address.
  package var functionSymbols: [Symbol] {
    let symbols = symbols
    return symbols.entries.indices.map(symbols.symbol)
  }

  /// Whether a function of this name is defined here.
  package func hasSymbol(named name: String) -> Bool {
    lazyNames.value { Set(functionSymbols.map(\.name)) }.contains(name)
  }
}
