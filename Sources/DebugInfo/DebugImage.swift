import FirstlightModel

/// An index of one ELF file: its functions, its guards, and where in the source they come from.
///
/// Immutable. What costs time to read (symbols, the debug information of each compilation unit) is
/// read when first asked for; any number of threads may ask.
public final class DebugImage: Sendable {
  public let path: String
  /// Nil if the file was linked without one.
  public let buildID: BuildID?
  public let kind: ImageKind
  /// As `uname -m` names it.
  public let architecture: String
  /// Whether there is debug information, in the file or in `debugFile`.
  public let hasDebugInfo: Bool
  /// The separate file that symbols or debug information were taken from.
  public let debugFile: String?
  /// Number of guards, of all kinds; 0 if the file isn't instrumented.
  public let guardCount: Int
  /// Link-time address of the first guard; 0 if the file isn't instrumented.
  public let guardsStart: UInt64

  let elf: ELFFile
  private let separate: ELFFile?
  /// Where more files may be looked for; nil: none is opened.
  private let search: DebugFileSearch?
  private let lazySymbols = Lazily<SymbolTable>()
  private let lazyPCTable = Lazily<[GuardEntry]>()
  private let lazyNames = Lazily<Set<String>>()
  private let lazyDWARF = Lazily<DWARFIndex>()
  private let lazySurvey = Lazily<CodeSurvey>()

  /// Opens an ELF file and looks for its separate debug file if it lacks symbols or debug
  /// information: by build id and by `.gnu_debuglink` (whose checksum must match), beside the file,
  /// in `.debug/` there, and below each of `debugDirectories`.
  ///
  /// Fails with `.noInput` if the file can't be read, with `.data` if it isn't a whole 64-bit
  /// executable or shared library for x86_64 or aarch64. Every failure names the file.
  public convenience init(
    path: String, debugDirectories: [String] = ["/usr/lib/debug"]
  ) throws(Failure) {
    let elf = try ELFFile(try MappedFile(path: path))
    let search = DebugFileSearch(directories: debugDirectories)
    self.init(
      elf,
      separate: Self.isComplete(elf)
        ? nil : SeparateDebugFile.find(for: elf, buildID: Notes.buildID(elf), search),
      search)
  }

  /// Reads an ELF file that is mapped, and opens no other.
  ///
  /// - Parameter debugFile: what may be its separate debug file; left aside if it doesn't belong to it or
  ///   isn't needed.
  /// - Throws: `.data` as `init(path:debugDirectories:)`.
  public convenience init(file: MappedFile, debugFile: MappedFile? = nil) throws(Failure) {
    let elf = try ELFFile(file)
    self.init(
      elf,
      separate: Self.isComplete(elf)
        ? nil : debugFile.flatMap { SeparateDebugFile.fitting($0, for: elf) }, nil)
  }

  private init(_ elf: ELFFile, separate: ELFFile?, _ search: DebugFileSearch?) {
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
  public var lacksDebugFile: Bool { separate == nil && !Self.isComplete(elf) }

  /// The name of the separate debug file (`.gnu_debuglink`), without any folder; nil if it has none.
  public var debugLink: String? {
    Notes.debugLink(elf).flatMap { $0.name.contains("/") ? nil : $0.name }
  }

  /// Whether the file was compiled with guards.
  public var isInstrumented: Bool { guardCount > 0 }

  /// Whether any function has a name.
  public var hasSymbols: Bool { !symbols.entries.isEmpty }

  /// For each guard where it is; empty if the file has no PC table, or one that doesn't match the
  /// guards (some of its objects were compiled without).
  public var pcTable: [GuardEntry] {
    lazyPCTable.value { PCTable.entries(elf, guardCount: guardCount) }
  }

  /// What of the debug information couldn't be read, for people; empty if all could.
  public var notes: [String] {
    prepare()
    var notes = hasDebugInfo ? dwarf.notes : []
    if symbols.isIncomplete {
      notes.append("symbols are left out: their names, sharing text, are longer than the file")
    }
    return notes.map { "\(debugFile ?? path): \($0)" }
  }

  /// Fails with `.data` if a file that it reads was cut short or written to since it was opened: then what
  /// it answered may be wrong, though no worse than that. Ask after the answers. Another file in the place
  /// of one does no harm.
  public func checkUnchanged() throws(Failure) {
    try elf.file.checkUnchanged()
    try separate?.file.checkUnchanged()
  }

  /// Whether names local to an object file are there too: the file isn't stripped, or its separate
  /// debug file was found.
  public var hasLocalSymbols: Bool {
    [elf, separate].contains { file in
      file?.sections.contains { $0.type == ELFSection.symbolTable && $0.hasContents } ?? false
    }
  }

  /// The function symbols, of `.symtab` if there is one, else of `.dynsym`.
  var symbols: SymbolTable {
    lazySymbols.value {
      for (source, section) in symbolSections {
        let entries = source.contents(section)
        let names = source.contents(source.sections[Int(section.link)])
        let table = SymbolTable(
          symbols: entries, names: names, executable: source.sections.filter(\.isExecutable),
          codeRange: elf.codeRange)
        // Few names are asked for.
        source.file.release(entries)
        source.file.release(names)
        if !table.entries.isEmpty { return table }
      }
      return .empty
    }
  }

  /// Where symbols are, best first.
  var symbolSections: [(file: ELFFile, section: ELFSection)] {
    [ELFSection.symbolTable, ELFSection.dynamicSymbols].flatMap { type in
      [elf, separate].compactMap { $0 }.compactMap { file in
        file.sections.first { $0.type == type && $0.hasContents }.flatMap {
          Int($0.link) < file.sections.count ? (file, $0) : nil
        }
      }
    }
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

  /// What the debug information says of all functions. Ask only if `hasDebugInfo`.
  var survey: CodeSurvey { lazySurvey.value { makeSurvey() } }

  /// The function whose code is at a link-time address.
  public func symbol(containing address: UInt64) -> Symbol? {
    let symbols = symbols
    return symbols.index(containing: address).map(symbols.symbol)
  }

  /// All names of the function that starts at a link-time address, best first: the largest, and of
  /// equally large ones the last in the file, as llvm-symbolizer chooses.
  public func symbols(at address: UInt64) -> [Symbol] {
    let symbols = symbols
    return symbols.indices(at: address).reversed().map(symbols.symbol)
  }

  /// All function symbols, sorted by address.
  public var functionSymbols: [Symbol] {
    let symbols = symbols
    return symbols.entries.indices.map(symbols.symbol)
  }

  /// Whether a function of this name is defined here.
  public func hasSymbol(named name: String) -> Bool {
    lazyNames.value { Set(functionSymbols.map(\.name)) }.contains(name)
  }
}
