import FirstlightModel
import SystemSupport

/// An index of one ELF file: its functions, its guards, and their places in the source.
///
/// Immutable and thread-safe. Slow parts (symbols, the debug information of each compilation unit)
/// are read at first use.
package final class DebugImage: Sendable {
  package let path: String
  /// Nil if the file was linked without a build id.
  package let buildID: BuildID?
  package let kind: ImageKind
  /// The machine name that `uname -m` would print.
  package let architecture: String
  /// Whether the file or `debugFile` has debug information.
  package let hasDebugInfo: Bool
  /// The separate file with symbols or debug information.
  package let debugFile: String?
  /// Number of guards of all kinds; 0 if the file is not instrumented.
  package let guardCount: Int
  /// Link-time address of the first guard; 0 if the file is not instrumented.
  package let guardsStart: UInt64

  /// The file's headers and tables.
  package let elf: ELFFile
  private let separate: ELFFile?
  /// Places to search for more files; nil if none is opened.
  private let search: DebugFileSearch?
  private let lazySymbols = Lazy<FunctionSymbols>()
  private let lazyMiniDebugInfo = Lazy<MiniDebugInfo?>()
  private let lazyPCTable = Lazy<[GuardEntry]>()
  private let lazyDWARF = Lazy<DWARFIndex>()
  private let lazySurvey = Lazy<CodeSurvey>()
  private let lazyEntryHooks = Lazy<EntryHookScanner>()

  /// Opens an ELF file. If symbols or debug information are missing, searches for a separate debug
  /// file by build id and by `.gnu_debuglink` (whose checksum must match): beside the file, in
  /// `.debug/` there, and below each of `debugDirectories`; by build id also in `debuginfodCache`,
  /// the folder of debuginfod's clients.
  ///
  /// Fails with `.noInput` if the file cannot be read, with `.data` if it is not a complete 64-bit
  /// executable or shared library for x86_64 or aarch64. Every failure names the file.
  ///
  /// - Parameter place: where a process with another root finds the file. Debug files are also
  ///   searched there.
  package convenience init(
    path: String, debugDirectories: [String] = ["/usr/lib/debug"], debuginfodCache: String? = nil,
    place: ForeignPlace? = nil
  ) throws(Failure) {
    let search = DebugFileSearch(
      directories: debugDirectories + (place.map { [$0.root + "/usr/lib/debug"] } ?? []),
      debuginfodCache: debuginfodCache, place: place)
    let elf = try ELFFile(try MappedFile(path: path))
    self.init(
      elf,
      separate: Self.isComplete(elf)
        ? nil : SeparateDebugFile.find(for: elf, search), search)
  }

  /// Reads a mapped ELF file, and opens no other file.
  ///
  /// - Parameter debugFile: a possible separate debug file; ignored if it does not match or is not
  ///   needed.
  /// - Throws: `.data` as `init(path:debugDirectories:)`.
  package convenience init(file: MappedFile, debugFile: MappedFile? = nil) throws(Failure) {
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
    buildID = elf.buildID
    kind = elf.kind
    architecture = elf.architecture
    debugFile = separate?.path
    hasDebugInfo = elf.hasDWARF || separate?.hasDWARF == true
    let guards = elf.section("__sancov_guards")
    // Based on the real contents, so that a header alone cannot claim billions.
    guardCount = guards.map { elf.contents($0).count / 4 } ?? 0
    guardsStart = guards?.address ?? 0
  }

  private static func isComplete(_ elf: ELFFile) -> Bool {
    elf.section(".symtab") != nil && elf.hasDWARF
  }

  /// Whether symbols or debug information must be searched for in another file.
  package var lacksDebugFile: Bool { separate == nil && !Self.isComplete(elf) }

  /// The build ids of missing files with symbols or debug information: the image's own, or that of
  /// the file to which `dwz` moved data.
  package var missingDebugFiles: [BuildID] {
    if lacksDebugFile { return buildID.map { [$0] } ?? [] }
    let file = elf.hasDWARF ? elf : separate ?? elf
    guard let search, let link = AlternateFile.link(of: file), let id = link.buildID else {
      return []
    }
    return AlternateFile.find(link, for: file, search) == nil ? [id] : []
  }

  /// The file name of the separate debug file (`.gnu_debuglink`), without folder; nil if there is none.
  package var debugLink: String? {
    elf.debugLink.flatMap { $0.name.containsUTF8("/") ? nil : $0.name }
  }

  /// Whether the file was compiled with guards.
  package var isInstrumented: Bool { guardCount > 0 }

  /// Whether the file was compiled with LLVM's counters of source functions.
  package var hasCounters: Bool { elf.section("__llvm_covfun") != nil }

  /// Whether any function has a name.
  package var hasSymbols: Bool { !symbols.isEmpty }

  /// The address of each guard; empty if the file has no PC table, or if the table does not match
  /// the guards (some objects were compiled without it).
  package var pcTable: [GuardEntry] {
    lazyPCTable.value { PCTable.entries(elf, guardCount: guardCount) }
  }

  /// Unreadable parts of the debug information, described for the user.
  package var notes: [String] {
    prepare()
    var notes = hasDebugInfo ? dwarf.notes : []
    if let problem = miniDebugInfo?.problem { notes.append(problem) }
    return notes.map { "\(debugFile ?? path): \($0)" }
  }

  /// Fails with `.data` if one of the files was truncated or written to since it was opened:
  /// earlier answers may then be wrong, and reading what was cut off ends the process. Call it
  /// after reading answers, and before if the file was opened long ago. A replaced file does not
  /// matter.
  package func checkUnchanged() throws(Failure) {
    try elf.file.checkUnchanged()
    try separate?.file.checkUnchanged()
  }

  /// Whether file-local names are known too: the file is not stripped, or its separate debug file
  /// was found, or `.gnu_debugdata` has its symbols.
  package var hasLocalSymbols: Bool {
    elf.symbolTable != nil || separate?.symbolTable != nil || miniDebugInfo?.file != nil
  }

  /// The `.gnu_debugdata` of a stripped file; nil if it is missing, or a symbol table exists.
  private var miniDebugInfo: MiniDebugInfo? {
    guard elf.symbolTable == nil, separate?.symbolTable == nil else { return nil }
    return lazyMiniDebugInfo.value { MiniDebugInfo(elf) }
  }

  /// The functions by their symbols, from `.symtab` if there is one, else from `.dynsym`.
  package var symbols: FunctionSymbols {
    lazySymbols.value {
      for tables in symbolTables {
        let symbols = FunctionSymbols(tables, codeRange: elf.codeRange)
        // Only few names are needed later.
        for table in tables { table.release() }
        if !symbols.isEmpty { return symbols }
      }
      return FunctionSymbols([], codeRange: elf.codeRange)
    }
  }

  /// Where the code comes from in the source.
  package var source: SourceMap { SourceMap(self) }

  /// Tables of symbols, best first; tables in one list complement each other.
  var symbolTables: [[ELFSymbols]] {
    let dynamic = elf.dynamicSymbols
    let mini = miniDebugInfo?.file?.symbolTable
    return [
      [elf.symbolTable], [separate?.symbolTable], mini == nil ? [] : [mini, dynamic], [dynamic],
      [separate?.dynamicSymbols],
    ].map { $0.compactMap { $0 } }.filter { !$0.isEmpty }
  }

  /// Reads symbols and the outline of the debug information in parallel.
  func prepare() {
    guard hasDebugInfo else { return }
    Parallel.forEach(2, batch: 1) { part in
      if part.lowerBound == 0 { _ = dwarf } else { _ = symbols }
    }
  }

  /// Valid only if `hasDebugInfo`.
  var dwarf: DWARFIndex {
    lazyDWARF.value {
      DWARFIndex(elf.hasDWARF ? elf : separate ?? elf, code: elf.codeRange, search)
    }
  }

  /// Describes all functions from debug information. Valid only if `hasDebugInfo`.
  var survey: CodeSurvey { lazySurvey.value { CodeSurvey(self) } }

  /// Calls of entry hooks, for the functions of the unwind table.
  var entryHooks: EntryHookScanner {
    lazyEntryHooks.value { EntryHookScanner(self, starts: unwindTable) }
  }
}
