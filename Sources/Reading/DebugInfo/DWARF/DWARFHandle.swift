import CElfutils
import FirstlightModel

/// One libdw handle on the debug information of one file. libdw caches decoded data without locks,
/// so only one thread may use a handle at a time.
final class DWARFHandle: @unchecked Sendable {
  // `DWARFIndex` lends a handle to one thread at a time; data from a handle lives as long as the handle.
  let dwarf: OpaquePointer
  private let elf: OpaquePointer
  /// Keeps libelf's input in memory; nil if another owner does.
  let file: MappedFile?
  /// The handle on the file that `dwz` moved data to.
  private var alternate: DWARFHandle?
  /// The compilers' separate files (`.dwo`); nil if they are not searched for.
  private(set) var splitFiles: SplitFiles?
  /// Whether the handle is on such a separate file.
  private let isSplit: Bool
  /// Number of address ranges that may still be read: entries of a hostile file can share one long list.
  var rangeBudget = 0
  /// Offsets of the line tables that libdw may read.
  var lineTables: Set<UInt64> = []
  /// Omitted entries, described for the user.
  private(set) var problems: Set<String> = []

  /// Nil if libdw finds no debug information, or cannot read it.
  convenience init?(_ file: ELFFile) {
    self.init(file.file.bytes, file.file, isSplit: file.isSplit)
  }

  private init?(_ bytes: Bytes, _ file: MappedFile?, isSplit: Bool) {
    self.file = file
    self.isSplit = isSplit
    // The mapping is private and writable: libdw marks inflated sections in their headers.
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
    // Without this, libdw would open the path that the file names.
    if alternateLink != nil { attach(DWARFHandle(TinyELF.emptyDWARF, nil, isSplit: false)) }
  }

  /// The file's reference to an alternate file.
  var alternateLink: AlternateFile.Link? {
    var name: UnsafePointer<CChar>?
    var id: UnsafeRawPointer?
    let count = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id)
    guard count > 0, let name, let id else { return nil }
    return AlternateFile.Link(
      path: String(cString: name),
      buildID: BuildID(bytes: UnsafeRawBufferPointer(start: id, count: count)))
  }

  /// Sets the handle for references to the alternate file; no other handle may share it.
  func attach(_ alternate: DWARFHandle?) {
    dwarf_setalt(dwarf, alternate?.dwarf)
    self.alternate = alternate
  }

  /// A handle on a file with a part of another file's debug information, and its units; nil if
  /// libdw cannot read the file, or would take more memory than the file's size allows.
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
    // Such a file has only tables of file names.
    guard tables.areAllowed(sections, codeSize: 0) else { return nil }
    handle.lineTables = tables.offsets
    return (handle, units)
  }

  /// Enables the search for the compilers' separate files.
  func findSplitFiles(of program: ELFFile, _ search: DebugFileSearch?) {
    splitFiles = SplitFiles(program, sections, search)
  }

  /// The part of a unit in a separate file: see `SplitFiles`.
  func splitUnit(_ offset: UInt64, _ skeleton: inout Dwarf_Die) -> SplitUnit? {
    guard let splitFiles else { return nil }
    let size = splitFiles.size
    defer { rangeBudget += splitFiles.size - size }
    return splitFiles.unit(offset, &skeleton)
  }

  /// Whether libdw may read a unit's line table, which is in this file or in the alternate one.
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

  /// The sections that this handle reads.
  var sections: DebugSections { DebugSections(elf, isSplit: isSplit) }

  /// Records an omission.
  func leaveOut(_ problem: String) { problems.insert(problem) }

  /// Calls `body` with each range of an entry's code, link-time addresses.
  ///
  /// - Parameter split: the split unit that contains the entry, if it is not in this handle's file.
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
