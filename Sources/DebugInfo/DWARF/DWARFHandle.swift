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
  /// Address ranges that may still be read: entries of a hostile file can share one long list.
  var rangeBudget = 0
  /// Where the line tables are that libdw may read.
  var lineTables: Set<UInt64> = []
  /// What of the entries was left out, for people.
  private(set) var problems: Set<String> = []

  /// Nil if libdw finds no debug information that it can read.
  convenience init?(_ file: MappedFile) { self.init(file.bytes, file) }

  private init?(_ bytes: Bytes, _ file: MappedFile?) {
    self.file = file
    // The mapping is private and writable: libdw marks in the section headers what it has inflated.
    let memory = UnsafeMutablePointer(
      mutating: bytes.base.assumingMemoryBound(to: CChar.self))
    guard elf_version(UInt32(EV_CURRENT)) != 0, let elf = elf_memory(memory, bytes.count)
    else { return nil }
    guard let dwarf = dwarf_begin_elf(elf, DWARF_C_READ, nil) else {
      elf_end(elf)
      return nil
    }
    MemoryLimit.handle(dwarf)
    self.elf = elf
    self.dwarf = dwarf
    // Left to itself, libdw opens the path that the file names.
    if alternateLink != nil { attach(DWARFHandle(EmptyDWARF.bytes, nil)) }
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
  var sections: DebugSections { DebugSections(elf) }

  /// Notes that something was left out.
  func leaveOut(_ problem: String) { problems.insert(problem) }

  /// Calls `body` with each range of an entry's code, link-time addresses.
  func forEachRange(of entry: inout Dwarf_Die, _ body: (UInt64, UInt64) -> Void) {
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
    leaveOut("functions whose lists of addresses, shared by many, are longer than the file")
  }
}
