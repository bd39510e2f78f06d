import CElfutils
import FirstlightModel
import Glibc
import SystemSupport

/// One libdw handle on the debug information of one file. libdw caches decoded data without locks,
/// so only one thread may use a handle at a time.
final class DWARFHandle: @unchecked Sendable {
  // `DWARFIndex` lends a handle to one thread at a time; data from a handle lives as long as the handle.
  let dwarf: OpaquePointer
  private let elf: OpaquePointer
  /// Keeps libelf's input in memory; nil if libelf mapped the file itself.
  let file: MappedFile?
  /// The path of the file that libelf mapped, beside which libdw looks for `.dwo` files.
  let path: String?
  /// The handle on the file that `dwz` moved data to.
  private var alternate: DWARFHandle?
  /// Omitted entries, described for the user.
  private(set) var problems: Set<TextBytes> = []
  /// The `.dwo` files that libdw did not find, as the program names them.
  var missingSplitFiles: Set<TextBytes> = []

  /// Nil if libdw finds no debug information, or cannot read it.
  init?(_ file: ELFFile) {
    self.file = file.file
    path = nil
    // The mapping is private and writable: libdw marks inflated sections in their headers.
    guard let elf = file.file.openELF() else { return nil }
    guard let dwarf = dwarf_begin_elf(elf, DWARF_C_READ, nil) else {
      elf_end(elf)
      return nil
    }
    self.elf = elf
    self.dwarf = dwarf
    refuseSearch()
  }

  /// Opens the file by its path, because libdw looks for `.dwo` files beside a file whose path it knows.
  init?(reopening file: ELFFile) {
    guard let descriptor = try? RegularFile.open(file.path).descriptor else { return nil }
    defer { close(descriptor) }
    guard file.file.isOpen(at: descriptor), let elf = elf_begin(descriptor, ELF_C_READ_MMAP, nil)
    else { return nil }
    guard let dwarf = dwarf_begin_elf(elf, DWARF_C_READ, nil) else {
      elf_end(elf)
      return nil
    }
    elf_cntl(elf, ELF_C_FDDONE)
    self.file = nil
    path = ProcFile.target(of: "/proc/self/fd/\(descriptor)")
    self.elf = elf
    self.dwarf = dwarf
    refuseSearch()
  }

  /// Keeps libdw from opening the alternate file by itself, which waits if that is a pipe: -1 is its own mark of a
  /// search without a result (dwarf_getalt.c).
  private func refuseSearch() { dwarf_setalt(dwarf, OpaquePointer(bitPattern: -1)) }

  /// Sets the handle for references to the alternate file; no other handle may share it.
  func attach(_ alternate: DWARFHandle) {
    dwarf_setalt(dwarf, alternate.dwarf)
    self.alternate = alternate
  }

  deinit {
    dwarf_end(dwarf)
    elf_end(elf)
  }

  /// Records an omission.
  func leaveOut(_ problem: String) { problems.insert(problem) }

  /// Calls `body` with each range of an entry's code, link-time addresses.
  func forEachRange(of entry: inout Dwarf_Die, _ body: (UInt64, UInt64) -> Void) {
    var base: Dwarf_Addr = 0
    var start: Dwarf_Addr = 0
    var end: Dwarf_Addr = 0
    var next = 0
    while true {
      next = dwarf_ranges(&entry, next, &base, &start, &end)
      if next <= 0 { return }
      if start < end { body(start, end) }
    }
  }
}
