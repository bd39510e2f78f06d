import CElfutils
import FirstlightModel

/// One libdw handle on the debug information of one file. libdw keeps what it has decoded, and is not
/// thread-safe: a handle is used by one thread at a time.
final class DWARFHandle: @unchecked Sendable {
  // `DWARFIndex` lends a handle to one thread at a time; what it hands out lives as long as it does.
  let dwarf: OpaquePointer
  private let elf: OpaquePointer
  /// Keeps the memory that libelf reads; nil if that stays anyway.
  let file: MappedFile?
  /// What `dwz` moved out of the file.
  private var alternate: DWARFHandle?
  /// What compilers wrote to files of their own; nil: nothing is looked for.
  private(set) var splitFiles: SplitFiles?
  /// Whether it is on such a file.
  private let isSplit: Bool
  /// Address ranges that may still be read: entries of a hostile file can share one long list.
  var rangeBudget = 0
  /// Where the line tables are that libdw may read.
  var lineTables: Set<UInt64> = []
  /// What of the entries was left out, for people.
  private(set) var problems: Set<String> = []

  /// Nil if libdw finds no debug information that it can read.
  convenience init?(_ file: ELFFile) {
    self.init(file.file.bytes, file.file, isSplit: file.isSplit)
  }

  private init?(_ bytes: Bytes, _ file: MappedFile?, isSplit: Bool) {
    self.file = file
    self.isSplit = isSplit
    // The mapping is private and writable: libdw marks in the section headers what it has inflated.
    let memory = UnsafeMutablePointer(
      mutating: bytes.base.assumingMemoryBound(to: CChar.self))
    guard elf_version(UInt32(EV_CURRENT)) != 0, let elf = elf_memory(memory, bytes.count)
    else { return nil }
    guard let dwarf = dwarf_begin_elf(elf, DWARF_C_READ, nil) else {
      elf_end(elf)
      return nil
    }
    self.elf = elf
    self.dwarf = dwarf
    // Left to itself, libdw opens the path that the file names.
    if alternateLink != nil { attach(DWARFHandle(TinyELF.emptyDWARF, nil, isSplit: false)) }
  }

  /// Which alternate file it refers to.
  var alternateLink: AlternateFile.Link? {
    var name: UnsafePointer<CChar>?
    var id: UnsafeRawPointer?
    let count = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id)
    guard count > 0, let name, let id else { return nil }
    return AlternateFile.Link(
      path: String(cString: name),
      buildID: BuildID(bytes: UnsafeRawBufferPointer(start: id, count: count)))
  }

  /// Takes what the file refers to in its alternate from another handle, which no other may use.
  func attach(_ alternate: DWARFHandle?) {
    dwarf_setalt(dwarf, alternate?.dwarf)
    self.alternate = alternate
  }

  /// A handle on a file that holds a part of another's debug information, and its units; nil if libdw can't read
  /// it, or would take more memory for it than a file of its size may.
  static func ofPart(_ file: ELFFile) -> (handle: DWARFHandle, units: [DWARFUnit])? {
    guard InflatedSize.isAllowed(file), let handle = DWARFHandle(file) else { return nil }
    let sections = handle.sections
    let units = DWARFUnit.list(handle)
    guard DebugInfoLimits.areAllowed(units, sections) else { return nil }
    var tables = LineTables()
    for var unit in units {
      guard var entry = unit.read(handle), let table = unit.lineTable else { continue }
      tables.add(table, sections, unit: &entry)
    }
    // It has tables of files alone.
    guard tables.areAllowed(sections, codeSize: 0) else { return nil }
    handle.lineTables = tables.offsets
    return (handle, units)
  }

  /// Lets it find what compilers wrote to files of their own.
  func findSplitFiles(of program: ELFFile, _ search: DebugFileSearch?) {
    splitFiles = SplitFiles(program, sections, search)
  }

  /// The part of a unit that is in a file of its own: see `SplitFiles`.
  func splitUnit(_ offset: UInt64, _ skeleton: inout Dwarf_Die) -> SplitUnit? {
    guard let splitFiles else { return nil }
    let size = splitFiles.size
    defer { rangeBudget += splitFiles.size - size }
    return splitFiles.unit(offset, &skeleton)
  }

  /// Whether libdw may read a line table that a unit names: its own file's or the alternate's.
  func mayReadLines(at offset: UInt64, of unit: OpaquePointer) -> Bool {
    if let alternate, dwarf_cu_getdwarf(unit) == alternate.dwarf {
      return alternate.lineTables.contains(offset)
    }
    return lineTables.contains(offset)
  }

  deinit {
    dwarf_end(dwarf)
    elf_end(elf)
  }

  /// The sections it reads.
  var sections: DebugSections { DebugSections(elf, isSplit: isSplit) }

  /// Notes that something was left out.
  func leaveOut(_ problem: String) { problems.insert(problem) }

  /// Calls `body` with each range of an entry's code, link-time addresses.
  ///
  /// - Parameter split: what the entry is in if it isn't in this handle's file.
  func forEachRange(
    of entry: inout Dwarf_Die, in split: SplitUnit? = nil, _ body: (UInt64, UInt64) -> Void
  ) {
    if let split {
      split.forEachRange(of: &entry) { start, end in
        guard rangeBudget > 0 else { return false }
        rangeBudget -= 1
        if start < end { body(start, end) }
        return true
      }
      if rangeBudget == 0 { leaveOut(Self.sharedRanges) }
      return
    }
    var base: Dwarf_Addr = 0
    var start: Dwarf_Addr = 0
    var end: Dwarf_Addr = 0
    var next = 0
    while rangeBudget > 0 {
      next = dwarf_ranges(&entry, next, &base, &start, &end)
      if next <= 0 { return }
      rangeBudget -= 1
      if start < end { body(start, end) }
    }
    leaveOut(Self.sharedRanges)
  }

  private static let sharedRanges =
    "functions whose lists of addresses, shared by many, are longer than the file"
}
